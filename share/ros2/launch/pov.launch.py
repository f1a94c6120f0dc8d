"""ros2 launch /usr/share/doc/pov/share/ros2/launch/pov.launch.py station:=my_table.yaml"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.substitutions import LaunchConfiguration


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("station", description="the station file"),
        ExecuteProcess(cmd=["pov", "run", LaunchConfiguration("station"), "--ros2", "--quiet"], output="screen", sigterm_timeout="10"),
    ])
