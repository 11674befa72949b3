#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Slurm of one node on this machine, as root in a container has it: a real controller and a real daemon, with
# everything of theirs in one folder. For tests; a site has its own.
#
#     local_slurm.sh start DIR [CPUS]    # then: export SLURM_CONF=DIR/slurm.conf
#     local_slurm.sh stop DIR
#
# Exit codes: 0; 2 usage; 77 Slurm cannot be started here, with the reason.
set -eu

fail() { echo "local_slurm: $2" >&2; exit "$1"; }
[ $# -ge 2 ] || fail 2 "start DIR [CPUS] or stop DIR is wanted"
mkdir -p "$2"
dir=$(cd "$2" && pwd)

# Ends a daemon of ours by the id that it wrote, and waits for its end.
end() {
    [ -s "$1" ] || return 0
    pid=$(cat "$1")
    kill "$pid" 2> /dev/null || return 0
    tries=0
    while kill -0 "$pid" 2> /dev/null; do
        sleep 0.1
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || { kill -9 "$pid" 2> /dev/null || true; return 0; }
    done
}

stop() {
    end "$dir/slurmd.pid"
    end "$dir/slurmctld.pid"
    end "$dir/munge/munged.pid"
}

start() {
    [ "$(id -u)" = 0 ] || fail 77 "it starts daemons as root, and this is another user"
    for program in munged slurmctld slurmd sbatch squeue sinfo; do
        PATH=$PATH:/usr/sbin command -v "$program" > /dev/null || fail 77 "there is no $program: apt-get install slurm-wlm munge"
    done
    PATH=$PATH:/usr/sbin
    cpus=${1:-$(nproc)}
    host=$(hostname -s)
    port=$((20000 + $$ % 10000 * 2))
    # The folders above have to be readable for the user of munge.
    install -d -m 755 -o munge -g munge "$dir/munge"
    dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 2> /dev/null
    chown munge:munge "$dir/munge/key"
    chmod 400 "$dir/munge/key"
    setpriv --reuid=munge --regid=munge --clear-groups munged --force --key-file="$dir/munge/key" \
        --socket="$dir/munge/socket" --pid-file="$dir/munge/munged.pid" --log-file="$dir/munge/log" \
        --seed-file="$dir/munge/seed" || fail 77 "munged does not start: $(tail -n 1 "$dir/munge/log" 2> /dev/null)"
    rm -rf "$dir/state" "$dir/spool" # of an earlier start
    mkdir "$dir/state" "$dir/spool"
    cat > "$dir/slurm.conf" << CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
MaxArraySize=20000
MaxJobCount=20000
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
    export SLURM_CONF="$dir/slurm.conf"
    slurmctld || fail 77 "slurmctld does not start: $(tail -n 1 "$dir/slurmctld.log" 2> /dev/null)"
    slurmd || fail 77 "slurmd does not start: $(tail -n 1 "$dir/slurmd.log" 2> /dev/null)"
    tries=0
    until sinfo --noheader --format=%T 2> /dev/null | grep -q idle; do
        sleep 0.2
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || { stop; fail 77 "the node does not become idle: $(sinfo --noheader --format=%T)"; }
    done
    echo "export SLURM_CONF=$SLURM_CONF"
}

case $1 in
start) start "${3:-}" ;;
stop) stop ;;
*) fail 2 "start or stop is wanted, not '$1'" ;;
esac
