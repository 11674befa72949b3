# SPDX-License-Identifier: Apache-2.0
"""Stands for a worker where mxcert starts one: gives its descriptors to the fork server, and ends as the forked worker ends.

Argument: the folder with the server's socket. No byte of the frames passes through here.
"""
import _socket
import array
import os
import signal
import sys

os.chdir(sys.argv[1])
channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
channel.connect("socket")
descriptors = array.array("i", [0, 1, 2, 3])  # requests, answers, standard error, shared memory
channel.sendmsg([b"worker"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
for descriptor in descriptors:  # an end of file must show when the worker has gone
    os.close(descriptor)
status = channel.recv(16)
if not status:
    os._exit(1)  # the server has gone
status = int(status)
if os.WIFSIGNALED(status):
    number = os.WTERMSIG(status)
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
os._exit(os.WEXITSTATUS(status))
