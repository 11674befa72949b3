/* SPDX-License-Identifier: Apache-2.0
 * libcuda.so.1 for the tests, of a time before the calls that are needed. */
int mxcert_fake_cuda_old(void);
int mxcert_fake_cuda_old(void) { return 0; }
