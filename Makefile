# make              build
# make unit         unit tests; make replay: the fuzz corpora
comma   := ,
CC      ?= cc
CFLAGS  ?= -O2 -g
SAN     ?=
PYTHON  ?= python3
BUILD   ?= build/$(notdir $(firstword $(CC)))$(if $(SAN),-$(subst $(comma),-,$(SAN)))
PKGS    := libuv yaml-0.1 jansson libpcre2-8 libxxhash sqlite3 nettle
TS      := build/tree-sitter

override CPPFLAGS += -I. -I$(TS)/core/include -D_GNU_SOURCE \
                     $(shell pkg-config --cflags $(PKGS))
override CFLAGS   += -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wvla \
                     -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
                     -Wswitch-enum
LDLIBS  += $(shell pkg-config --libs $(PKGS)) -lm
ifneq ($(SAN),)
override CFLAGS  += -fsanitize=$(SAN) -fno-sanitize-recover=all \
                    -fno-omit-frame-pointer
override LDFLAGS += -fsanitize=$(SAN)
endif

SRC   := $(filter-out minimizer/main.c,$(wildcard \
         $(foreach d,config grammar worker minimizer,$d/*.c $d/*/*.c)))
OBJ   := $(SRC:%.c=$(BUILD)/%.o)
TSOBJ := $(BUILD)/ts-core.o $(BUILD)/ts-parser.o $(BUILD)/ts-scanner.o
LIB   := $(BUILD)/libautodd.a
PROG  := $(patsubst minimizer/main.c,$(BUILD)/autodd-c,$(wildcard minimizer/main.c))
UNIT  := $(patsubst %.c,$(BUILD)/%,$(wildcard test/unit/test_*.c))
FUZZ  := $(patsubst test/fuzz/fuzz_%.c,%,$(wildcard test/fuzz/fuzz_*.c))

all: $(LIB) $(PROG)

$(TS)/.done: grammar/fetch.sh
	@mkdir -p build
	grammar/fetch.sh $(TS)
	@touch $@

$(BUILD)/ts-core.o: $(TS)/.done
	@mkdir -p $(@D)
	$(CC) -O2 -w -D_GNU_SOURCE -I$(TS)/core/include -I$(TS)/core/src -c -o $@ $(TS)/core/src/lib.c
$(BUILD)/ts-parser.o: $(TS)/.done
	@mkdir -p $(@D)
	$(CC) -O1 -w -I$(TS)/python/src -c -o $@ $(TS)/python/src/parser.c
$(BUILD)/ts-scanner.o: $(TS)/.done
	@mkdir -p $(@D)
	$(CC) -O2 -w -I$(TS)/python/src -c -o $@ $(TS)/python/src/scanner.c

# An archive, so that a test links only what it reaches.
$(LIB): $(OBJ) $(TSOBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/autodd-c: $(BUILD)/minimizer/main.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Calls that a test makes fail.
$(BUILD)/test/unit/test_store $(BUILD)/test/unit/test_writer: \
    WRAP := -Wl,--wrap=sqlite3_step

$(BUILD)/test/unit/%: $(BUILD)/test/unit/%.o $(LIB)
	$(CC) $(LDFLAGS) $(WRAP) -o $@ $^ $(LDLIBS) -lcmocka

$(BUILD)/%.o: %.c Makefile | $(TS)/.done
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

unit: $(UNIT)
	@for t in $(UNIT); do ./$$t || exit 1; done

replay: $(FUZZ:%=$(BUILD)/test/fuzz/replay_%)
	@for f in $(FUZZ); do \
	    ./$(BUILD)/test/fuzz/replay_$$f test/fuzz/corpus/$$f/* || exit 1; done

$(BUILD)/test/fuzz/replay_%: $(BUILD)/test/fuzz/fuzz_%.o \
                             $(BUILD)/test/fuzz/replay.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

clean:
	rm -rf build

.PHONY: all unit replay clean
.SECONDARY:
-include $(OBJ:.o=.d)
