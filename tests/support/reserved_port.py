"""A port of 127.0.0.1 that is nobody else's while a server of the test's comes, goes and comes back."""
import socket


class ReservedPort:
    """Bound, but not listened at: the system gives it to no other program, while a server, which binds with SO_REUSEADDR, may
    listen at it, and connections to it are refused while none does. Holds until closed, or to the end of a with statement."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self.number

    def __exit__(self, *_):
        self.close()
