"""``python alone.py COMMAND…``: in a fresh network namespace, run a command with the loopback as its only network."""

import fcntl
import os
import socket
import struct
import sys

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1  # linux/sockios.h, linux/if.h

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    request = struct.pack("16sh", b"lo", 0)
    flags = struct.unpack("16sh", fcntl.ioctl(control, SIOCGIFFLAGS, request))[1]
    fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))
os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - this program exists to become another
