/* SPDX-License-Identifier: Apache-2.0 */
/* golden FILE BITS CHOICE=VALUE...: the rows of a golden file that these choices select, each input in exactly one. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    uint64_t first, last, code; /* code: of a permit that is a single one */
    char permit[256];
};

static int by_first(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Whether every choice that `when` names is among the arguments. */
static int selected(char *when, int count, char **choices) {
    for (char *term = strtok(when, " "); term != NULL; term = strtok(NULL, " ")) {
        int found = 0;
        for (int i = 0; i < count; ++i) found |= strcmp(term, choices[i]) == 0;
        if (!found) return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    static char line[1024];
    struct row *rows = NULL;
    size_t count = 0;
    FILE *file = argc < 3 ? NULL : fopen(argv[1], "r");
    assert(file != NULL && fgets(line, sizeof line, file) != NULL); /* the names of the columns */
    while (fgets(line, sizeof line, file) != NULL) {
        struct row row;
        char when[512] = "", *rest = strchr(line, ',');
        uint64_t times = 1, first_by = 0, last_by = 0, permit_by = 0;
        memcpy(when, line, (size_t)(rest - line));
        if (!selected(when, argc - 3, argv + 3)) continue;
        /* scanf reads "-80" into an unsigned number modulo 2^64: adding it subtracts 0x80. */
        const int fields = sscanf(rest, ",%" SCNx64 ",%" SCNx64 ",%255[^,],%*[^,\n],%" SCNu64 ",%" SCNx64 ",%" SCNx64
                                        ",%" SCNx64,
                                  &row.first, &row.last, row.permit, &times, &first_by, &last_by, &permit_by);
        assert(fields == 3 || fields == 7);
        row.code = strtoull(row.permit, NULL, 16);
        for (uint64_t k = 0; k < times; ++k) {
            if ((count & (count + 1)) == 0) rows = realloc(rows, 2 * (count + 1) * sizeof row);
            assert(rows != NULL);
            rows[count] = row;
            if (permit_by != 0) sprintf(rows[count].permit, "%0*" PRIX64, (int)strlen(row.permit), row.code);
            ++count;
            row.first += first_by, row.last += last_by, row.code += permit_by;
        }
    }
    fclose(file);
    const int bits = atoi(argv[2]);
    const uint64_t end = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    qsort(rows, count, sizeof *rows, by_first);
    assert(count > 0 && rows[0].first == 0 && rows[count - 1].last == end && "no partition");
    for (size_t i = 1; i < count; ++i) assert(rows[i].first == rows[i - 1].last + 1 && "no partition");
    for (size_t i = 0; i < count; ++i) printf("%" PRIX64 ",%" PRIX64 ",%s\n", rows[i].first, rows[i].last, rows[i].permit);
    free(rows);
    return 0;
}
