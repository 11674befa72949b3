#!/bin/no/such/interpreter
# SPDX-License-Identifier: Apache-2.0
