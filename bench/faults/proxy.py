"""A TCP proxy that cuts a connection to PostgreSQL at a COMMIT.

`before` cuts instead of passing the COMMIT on: nothing happened. `after` passes it on, waits until the
database has confirmed it, and cuts instead of passing the confirmation on: it happened.
"""

import socket
import struct
import threading

COMMIT = b"COMMIT\0"


class Proxy:
    """Listens on a port of its own and passes everything on to a port of this machine."""

    def __init__(self, port):
        self.target = port
        self.lock = threading.Lock()
        self.mode = None
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, mode):
        """Cuts at the next COMMIT; `None` cuts no more."""
        with self.lock:
            self.mode = mode

    def take(self):
        """Returns the mode for a COMMIT that was seen, once."""
        with self.lock:
            mode, self.mode = self.mode, None
            self.cuts += mode is not None
            return mode

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            connection = Connection(self, client, server)
            for pump in (connection.pump_requests, connection.pump_answers):
                threading.Thread(target=connection.guarded, args=(pump,), daemon=True).start()

    def close(self):
        self.listener.close()


class Connection:
    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.is_swallowing = False
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def guarded(self, pump):
        try:
            pump()
        except OSError:
            pass
        self.cut()

    def cut(self):
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def pump_requests(self):
        stream = self.client.makefile("rb")
        # The first message has no type.
        self.server.sendall(message(stream, has_type=False))
        while frame := message(stream):
            mode = self.proxy.take() if is_commit(frame) else None
            if mode == "before":
                return
            self.is_swallowing = self.is_swallowing or mode == "after"
            self.server.sendall(frame)

    def pump_answers(self):
        stream = self.server.makefile("rb")
        while frame := message(stream):
            if self.is_swallowing:
                if frame[:1] == b"C" and frame[5:] == COMMIT:
                    return
            else:
                self.client.sendall(frame)


def is_commit(frame):
    return frame[:1] == b"Q" and frame[5:].upper().replace(b";", b"") == COMMIT


def message(stream, has_type=True):
    """Returns the next message of the protocol, whole; empty at the end."""
    head = stream.read(5 if has_type else 4)
    if len(head) < (5 if has_type else 4):
        return b""
    (length,) = struct.unpack("!I", head[-4:])
    return head + stream.read(length - 4)
