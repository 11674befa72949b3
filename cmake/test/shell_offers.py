# SPDX-License-Identifier: Apache-2.0
"""What shells that complete a whole line offer alike. A test of one has `offers(line)`, in a folder with notes.txt and kernel.so."""

from common import BUILD, options, subcommands

PROGRAM = BUILD / "bin/mxcert"


class ShellOffers:
    def test_commands_and_options(self):
        expected = [name for name, in subcommands(PROGRAM)]
        self.assertEqual(sorted(self.offers("mxcert ")), sorted(expected))
        self.assertEqual(sorted(self.offers("mxcert certify --")), sorted(options(PROGRAM, "certify")))
        self.assertEqual(self.offers("mxcert vectors exp"), ["export"])
        self.assertEqual(self.offers("mxcert help cert"), ["certify"])

    def test_values_of_options_and_arguments(self):
        self.assertEqual(sorted(self.offers("mxcert certify --color a")), ["always", "auto"])
        self.assertIn("portable", self.offers("mxcert certify --jobs 3 port"))
        self.assertEqual(sorted(self.offers("mxcert certify x --profile ocp-s")), ["ocp-sat", "ocp-sat-finite"])
        self.assertEqual(sorted(self.offers("mxcert completion ")), ["bash", "fish", "zsh"])

    def test_files_of_a_kind(self):
        self.assertIn("notes.txt", self.offers("mxcert certify --json no"))
        self.assertIn("kernel.so", self.offers("mxcert certify ker"))
        self.assertNotIn("notes.txt", self.offers("mxcert certify no"))
