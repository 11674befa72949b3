/* SPDX-License-Identifier: Apache-2.0
 * The place of X, Y, Z in an array of a kernel's parameters. */
#ifndef MXCERT_KERNELS_PLACE_H
#define MXCERT_KERNELS_PLACE_H

#define PLACE(array) (X * p.place.array[0] + Y * p.place.array[1] + Z * p.place.array[2])
#define ALONG PLACE(along)

#endif
