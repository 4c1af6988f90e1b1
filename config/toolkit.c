#include "config/toolkit.h"

#include "config/base.h"
#include "config/buf.h"
#include "config/mem.h"

/* Of compute-sanitizer there is a script in bin, and the program itself. */
static const char *const inside[] = { "bin", "compute-sanitizer" };

char *toolkit_path(const char *path, const char *home, const char *other)
{
    const char *const homes[] = { home, other };
    struct buf out;

    buf_init(&out, 1 << 20);
    if (path)
        buf_adds(&out, path);
    for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
        for (size_t k = 0; homes[i] && *homes[i] && k < ARRAY_LEN(inside); k++)
            buf_addf(&out, "%s%s/%s", out.len > 0 ? ":" : "", homes[i],
                     inside[k]);
    }
    return buf_take(&out, NULL);
}
