# SPDX-License-Identifier: Apache-2.0
"""The fork server: a process that was forked from the caller, with its closures, and forks a worker for each that mxcert asks for."""
import dataclasses
import fcntl
import io
import os
import select
import signal
import socket
import sys
import traceback
import warnings

WATCH_MILLISECONDS = 100
ABOVE = 16  # descriptors are kept above it: below are those that the caller's code may know by number


@dataclasses.dataclass(frozen=True)
class Child:
    """A worker: its number, the connection of its relay, and descriptors of its process and of its standard error."""
    pid: int
    connection: socket.socket
    process: int
    errors: int

    def close(self):
        self.connection.close()
        os.close(self.process)
        os.close(self.errors)


def kill(pid):
    """Ends a worker and what it started."""
    for end in (os.killpg, os.kill):
        try:
            end(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def half_of_memory():
    return os.sysconf("SC_PHYS_PAGES") // 2


def resident_pages(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1])
    except (OSError, IndexError):
        return 0


def become_worker(descriptors, serve):
    """In a forked process: serves through these descriptors and never returns."""
    os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    requests, answers, errors, memory = descriptors
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    # What the caller had as standard streams may be objects of a test runner.
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), line_buffering=True, errors="replace")
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), line_buffering=True, errors="replace")
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # if the machine runs out of memory, this is what the system ends
    serve(requests, answers, memory)


def receive(listener):
    """A new connection and its descriptors; None if its relay has gone already."""
    connection, _ = listener.accept()
    _, descriptors, _, _ = socket.recv_fds(connection, 16, 4)
    if len(descriptors) != 4:
        for descriptor in descriptors:
            os.close(descriptor)
        connection.close()
        return None
    return connection, descriptors


class Server:
    """Forks a worker for each connection. serve(requests, answers, memory) is what a worker does; it never returns.

    lifeline: a descriptor; when its other end is closed, all workers are ended and the server is done. memory_limit: MiB of a worker; 0:
    any; None: half of the machine's.
    """

    def __init__(self, listener, lifeline, serve, memory_limit=None):
        self.listener, self.lifeline, self.serve, self.memory_limit = listener, lifeline, serve, memory_limit
        self.by_connection, self.by_process = {}, {}  # descriptor -> Child
        self.poller = select.poll()
        self.poller.register(listener, select.POLLIN)
        self.poller.register(lifeline, select.POLLIN)

    def start(self):
        received = receive(self.listener)
        if received is None:
            return
        connection, descriptors = received
        kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ABOVE) for descriptor in descriptors]
        for descriptor in descriptors:
            os.close(descriptor)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the caller knew what it forked
            pid = os.fork()
        if pid == 0:
            try:
                for child in self.by_process.values():
                    child.close()
                connection.close()
                self.listener.close()
                os.close(self.lifeline)
                become_worker(kept, self.serve)
            except BaseException:  # pylint: disable=broad-except
                traceback.print_exc()
            finally:
                os._exit(1)
        for descriptor in (kept[0], kept[1], kept[3]):
            os.close(descriptor)
        child = Child(pid, connection, os.pidfd_open(pid), kept[2])
        self.by_connection[connection.fileno()] = self.by_process[child.process] = child
        self.poller.register(connection, select.POLLIN)
        self.poller.register(child.process, select.POLLIN)

    def end(self, child):
        kill(child.pid)  # what it left running
        _, status = os.waitpid(child.pid, 0)
        self.poller.unregister(child.connection)
        self.poller.unregister(child.process)
        del self.by_connection[child.connection.fileno()], self.by_process[child.process]
        try:
            child.connection.send(str(status).encode())
        except OSError:
            pass  # the relay was killed
        child.close()

    def watch_memory(self):
        if self.memory_limit == 0:
            return
        most, name = half_of_memory(), "half of the machine's memory"
        if self.memory_limit is not None:
            most, name = (self.memory_limit << 20) // os.sysconf("SC_PAGESIZE"), f"{self.memory_limit} MiB (memory_limit)"
        for child in self.by_process.values():
            if resident_pages(child.pid) > most:
                os.write(child.errors, f"mxcert: the worker took more than {name}\n".encode())
                kill(child.pid)

    def run(self):
        while True:
            ready = [descriptor for descriptor, _ in self.poller.poll(WATCH_MILLISECONDS if self.by_process else None)]
            if self.lifeline in ready:
                for child in self.by_process.values():
                    kill(child.pid)
                return
            for descriptor in ready:
                if descriptor in self.by_process:
                    self.end(self.by_process[descriptor])
                elif descriptor in self.by_connection:
                    kill(self.by_connection[descriptor].pid)  # mxcert ended the relay: a timeout, or a stop
            # Last, since it may get the number of a descriptor that was closed just now.
            if self.listener.fileno() in ready:
                self.start()
            self.watch_memory()
