#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Certifies a backend by GNU parallel, on this machine or on several by ssh, and merges the parts:
#
#     certify.sh PARTS DIR BACKEND [OPTION OF CERTIFY...]
#
# $MXCERT_WORKERS: parts at a time on each machine (one a core); $MXCERT_HOSTS: a file of parallel's --sshloginfile, a
# host a line: DIR and BACKEND are then on a file system that all of them have, and mxcert in their PATH. Started again
# with the same arguments it asks only what is missing. Exit code: that of the merge.
set -u

[ $# -ge 3 ] || { echo "usage: certify.sh PARTS DIR BACKEND [OPTION...]" >&2; exit 2; }
parts=$1
mkdir -p "$2/parts" "$2/log" || exit 2
dir=$(cd "$2" && pwd)
shift 2
set -- mxcert certify "$@" --jobs 1 --quiet --shard "{}/$parts" --keep "$dir/parts/{}"
# A part that was killed is asked again, three times in all; one with a wrong answer (1) would say the same again, and
# the merge tells of it.
seq "$parts" | parallel --quote --retries 3 --jobs "${MXCERT_WORKERS:-100%}" --joblog "$dir/log/jobs.txt" \
    ${MXCERT_HOSTS:+--sshloginfile "$MXCERT_HOSTS" --workdir "$PWD"} "$@" > "$dir/log/parts.txt" 2>&1
exec mxcert merge "$dir"/parts/* --report "$dir/report"
