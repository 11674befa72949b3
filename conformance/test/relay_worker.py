#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands between the harness and the stock worker, for tests. MXCERT_RELAY says what it changes: "pipe" hides that runs go through
shared memory, "count" says one value more than was asked in each RESULT, "outputs" puts eight bytes of outputs into a RESULT that should have none."""
import json
import os
import struct
import subprocess
import sys
import threading

way = os.environ["MXCERT_RELAY"]
worker = subprocess.Popen([os.environ["MXCERT_WORKER"], os.environ["MXCERT_RELAY_PLUGIN"]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, pass_fds=(3,))


def pump():
    while data := os.read(0, 1 << 16):
        worker.stdin.write(data)
        worker.stdin.flush()
    worker.stdin.close()


threading.Thread(target=pump, daemon=True).start()
while head := worker.stdout.read(24):
    magic, version, kind, request, length = struct.unpack("<4sHHQQ", head)
    payload = worker.stdout.read(length)
    if kind == 1 and way == "pipe":
        hello = json.loads(payload)
        del hello["shared_runs"]
        payload = json.dumps(hello).encode()
    if kind == 4 and way == "count":
        payload = struct.pack("<Q", struct.unpack("<Q", payload[:8])[0] + 1) + payload[8:]
    if kind == 4 and way == "outputs":
        payload += bytes(8)
    os.write(1, struct.pack("<4sHHQQ", magic, version, kind, request, len(payload)) + payload)
sys.exit(worker.wait())
