"""Builds HTTP/2 frames for clients whose behavior gRPC's libraries do not allow."""
import socket
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def text(value):
    """Returns a string literal (RFC 7541, 5.2)."""
    value = value.encode() if isinstance(value, str) else value
    if len(value) < 127:
        return bytes([len(value)]) + value
    rest, encoded = len(value) - 127, b"\x7f"
    while rest >= 128:
        encoded += bytes([rest & 127 | 128])
        rest >>= 7
    return encoded + bytes([rest]) + value


def block(path, *more):
    """Returns the header block of a gRPC call, without compression."""
    fields = ((":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
              ("content-type", "application/grpc"), ("te", "trailers")) + more
    return b"".join(b"\0" + text(name) + text(value) for name, value in fields)


GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0)
# The prefix of a gRPC message that is 4,096 bytes shorter than a mebibyte.
LONG_MESSAGE = b"\0" + struct.pack(">I", (1 << 20) - 4096)


def connect(address, greeting=GREETING):
    host, port = address.rsplit(":", 1)
    peer = socket.create_connection((host, int(port)), timeout=10)
    peer.sendall(greeting)
    return peer


def read_until_closed(peer, seconds):
    """Returns everything that the server sends until it closes the connection, or None if it does not."""
    peer.settimeout(seconds)
    got = b""
    try:
        while True:
            piece = peer.recv(65536)
            if not piece:
                return got
            got += piece
    except TimeoutError:
        return None
    except OSError:
        return got
