"""The host process: it forks a process for each session, kills it on request, and kills all when its owner
ends.

It has imported what a session needs and has a single thread, so that forking is safe and takes milliseconds.
A session's process cannot outlive its owner: it is killed when the owner's end of the socket closes.
"""

import os
import signal
import socket
import struct
import sys
from contextlib import suppress

# b"n", a dialect's place in FACTS and a socket: a new session; b"k", a process: end it.
COMMAND = struct.Struct("<cq")
ENDED = b"e"


def main() -> None:
    from text2sql.database.process import child  # noqa: PLC0415 the owner imports this module for its constants

    control = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    children: set[int] = set()
    while True:
        message, sockets, *_ = socket.recv_fds(control, COMMAND.size, 1)
        if len(message) < COMMAND.size:  # the owner is gone
            break
        _reap(children)
        command, number = COMMAND.unpack(message)
        if command == b"k":
            _kill_child(number, children)
            control.sendall(ENDED)
            continue
        child.preload(number)
        pid = os.fork()
        if pid == 0:
            control.close()
            child.serve(sockets[0])
        children.add(pid)
        os.close(sockets[0])
    for pid in children.copy():
        _kill_child(pid, children)


def _kill_child(pid: int, children: set[int]) -> None:
    """Kill a child only if it was not waited for yet: otherwise its pid may belong to another process."""
    if pid in children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        children.discard(pid)


def _reap(children: set[int]) -> None:
    for pid in children.copy():
        if os.waitpid(pid, os.WNOHANG)[0]:
            children.discard(pid)
