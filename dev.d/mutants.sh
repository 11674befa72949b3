# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Mutate implementations or the models, and count the mutants that the suite or the tests do not see
#
# Usage: ./dev mutants [--target NAME]... [--sample N] [--seed N] [--time SECONDS] [--jobs N] [--shard I/N] [--survey] [--write]
#        ./dev mutants --target NAME --mutant NUMBER
#        ./dev mutants --gate [--target NAME]... [--sample N] [--seed N] [--time SECONDS]
#        ./dev mutants [--target NAME]... [--sample N] --list
#        ./dev mutants --model [--sample N] [--seed N] [--time SECONDS] [--jobs N] [--shard I/N] [--mutant NUMBER] [--list] [--write] [--gate]
#
#   --model          mutants of reference/ and vectors/ instead, judged by the tests of these two
#   --target NAME    only this one: fp32_e4m3, fp32_e5m2, mxfp8_quantizer, portable or kernels_host
#   --sample N       N mutants of each target, chosen by the seed; without it all
#   --seed N         chooses the sample (1)
#   --time SECONDS   start no mutant after that; the score is that of those that are done
#   --jobs N         mutants at a time (one a core)
#   --shard I/N      only part I of N of these mutants; its results are files of its own. When the files of all parts
#                    (results*, with their folders) are in one build/mutants, the command without --shard finds them and
#                    scores only what is missing; there is no merge. All parts need the same sources and the same bytes of mxcert
#   --survey         certify none: a mutant that answers what a level asks otherwise than the original counts as seen there
#   --gate           a survey without what takes minutes: mutants that differ nowhere in the first part of the comparison are
#                    left out, and no level asks a quantizer every value. Fails if one that is wrong passes any level
#   --mutant NUMBER  only this one, repeatable
#   --list           print the mutants and run none
#   --write          write docs/mutants/results.md and docs/mutants/survivors.csv; with --model docs/mutants/model.md
#
# Each mutant is certified at every level. Those that survive are compared with the original on all inputs. Results are kept
# in build/mutants: a run that was stopped goes on where it was. docs/mutants.md explains the score.
#
# Exit code: 0 the goals are met; 1 too many mutants escape, or one of the models survives that dev.d/mutants/model/equivalent.toml
# does not explain; 2 a bad argument, the original does not pass, or the time was too
# short for a gate.

main() {
    ensure_packages "${build_packages[@]}"
    ensure_packages "${clang_packages[@]}"
    local argument listed=no
    for argument in "$@"; do
        if [ "$argument" = --list ]; then listed=yes; fi
        if [ "$argument" = --model ]; then
            ensure_packages python3-clang-14
            # The one that has the package.
            exec /usr/bin/python3 "$root/dev.d/mutants/model" --root "$root" "$@"
        fi
    done
    if [ $listed = no ]; then build release mxcert mxcert-worker >&2 || die "the build failed"; fi
    exec python3 "$root/dev.d/mutants" --root "$root" "$@"
}
