"""OpenCV's ArUco by one name each: version 4.7 has others than those before."""
import cv2

IS_OLD = hasattr(cv2.aruco, "CharucoBoard_create")


def draw_marker(dictionary, number, side_px):
    draw = cv2.aruco.drawMarker if IS_OLD else cv2.aruco.generateImageMarker
    return draw(cv2.aruco.getPredefinedDictionary(dictionary), number, side_px)


def find_markers(image, dictionary, **parameters):
    """Corners and ids; `parameters` are fields of OpenCV's DetectorParameters."""
    table = cv2.aruco.getPredefinedDictionary(dictionary)
    chosen = cv2.aruco.DetectorParameters_create() if IS_OLD else cv2.aruco.DetectorParameters()
    for name, value in parameters.items():
        setattr(chosen, name, value)
    if IS_OLD:
        return cv2.aruco.detectMarkers(image, table, parameters=chosen)[:2]
    return cv2.aruco.ArucoDetector(table, chosen).detectMarkers(image)[:2]


def charuco_board(columns, rows, square_m, marker_m, dictionary):
    table = cv2.aruco.getPredefinedDictionary(dictionary)
    if IS_OLD:
        return cv2.aruco.CharucoBoard_create(columns, rows, square_m, marker_m, table)
    return cv2.aruco.CharucoBoard((columns, rows), square_m, marker_m, table)


def draw_board(board, size_px):
    return board.draw(size_px) if IS_OLD else board.generateImage(size_px)
