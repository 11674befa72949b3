# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Measure the implementations that others publish, and write docs/survey
#
# Usage: ./dev survey [NAME...] [--smoke | --latest] [--again] [--delete] [--shard I/N]
#        ./dev survey --table | --check
#        ./dev survey --lock [ENVIRONMENT...]
#        ./dev survey --parity [PAIR...]
#
# Installs the packages of each entry of survey/entries.toml into an environment of its own, asks what it converts, and stores a
# short result in docs/survey/results. What is stored and up to date is not run again, so a stopped run goes on where it was.
#
#   NAME       these entries only
#   --smoke    a few inputs of each conversion, in minutes; the results go to build/survey/smoke
#   --latest   the newest releases instead of the pinned ones, and what they changed; the results go to build/survey/latest
#   --again    also what is stored and up to date
#   --shard I/N  only part I of N of these entries, to share them between machines: entries of an environment stay together. Its last
#              line names the files to put beside those of the other parts, in docs/survey/results; there the command without --shard
#              finds them all, and runs only what is missing
#   --delete   delete each environment when its entries have run; the wheels stay
#   --parity   compare the pairs of survey/parity.toml, these or all; the results go to docs/results/parity
#   --table    write docs/survey, and the pairs of docs/parity.md, from the stored results
#   --check    check the stored results, that what is known to be wrong was found, and that docs/survey is up to date
#   --lock     write survey/locks: each wheel with its SHA-256
#
# Environments and wheels are in build/survey, or where MXCERT_SURVEY_CACHE says: 7.5 GB with all of them. Entries on torch use the .venv
# of `./dev setup --peers` and `./dev setup --torch`.
#
# Exit codes: 0 all ran, or all is up to date; 1 a check failed; 2 usage; 3 an entry could not be run.

main() {
    case " $* " in
        *" --table "* | *" --check "* | *" --lock "*) ;;
        *) build_tool ;;
    esac
    exec python3 "$root/survey/survey.py" "$@"
}
