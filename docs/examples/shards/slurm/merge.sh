#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The job of submit.sh that waits for all parts: merge.sh DIR
#SBATCH --job-name=mxcert-merge
#SBATCH --open-mode=append
exec mxcert merge "$1"/parts/* --report "$1/report"
