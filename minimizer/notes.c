#include "minimizer/notes.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

#define NOTES_MAX 64
#define ERRORS_MAX 128
#define TEXT_MAX (16u << 10)

void notes_add(struct notes *notes, enum say_kind kind, const char *text)
{
    if (notes->n >= (kind == SAY_ERROR ? ERRORS_MAX : NOTES_MAX))
        return;
    xgrow(&notes->items, &notes->room, notes->n + 1, sizeof(*notes->items));
    notes->items[notes->n++] = (struct note){
        .kind = kind,
        .text = xmemdup(text, strnlen(text, TEXT_MAX)),
    };
}

void notes_deinit(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free(notes->items[i].text);
    free(notes->items);
    *notes = (struct notes){ 0 };
}

const char *note_kind_name(enum say_kind kind)
{
    switch (kind) {
    case SAY_INFO:
        return "info";
    case SAY_NOTE:
        return "note";
    case SAY_WARNING:
        return "warning";
    case SAY_ERROR:
        return "error";
    }
    return "";
}
