# make             build/cc/autodd-c (or build/CC/..., as CC says)
# make demo        minimize examples/tilelang_gemm.py with real TileLang
# make test        unit tests, fuzz corpora and end-to-end tests, all set-up done
# make unit        the unit tests alone; make replay: the fuzz corpora;
#                  make e2e: the whole program (E2E='-k echo' chooses)
# make check-san   unit, replay and e2e built with SAN=address,undefined
# make fuzz        FUZZ_TIME seconds of each fuzz target (clang)
# make lint        layers, banned calls, format, static analysis
# make bench       the figures that the tool promises, measured here
# make bench-peers the same inputs with ours and five other reducers; PEERS='-j 2
#                  --inputs tilelang_*' chooses (test/bench/compare.py --help)
# make bench-minimal  each single edit of each result is run once more, by a
#                  checker that knows nothing of the search
# make static      build/static/autodd-c, which needs no library but glibc
# make install     to DESTDIR and PREFIX (/usr/local); make uninstall
# make clean       remove build/
# make help        this text
#
# CC, CFLAGS, LDFLAGS, PYTHON as usual. SAN=address,undefined or SAN=thread
# builds into a folder of its own. Warnings are errors where CI is set.
# Missing Debian packages are installed by root or a sudo without password, and
# named with the command otherwise (config/packages.sh).
comma     := ,
CC        ?= cc
CFLAGS    ?= -O2 -g
SAN       ?=
PYTHON    ?= python3
PREFIX    ?= /usr/local
FUZZ_TIME ?= 60
E2E       ?=
PEERS     ?=
BUILD     ?= build/$(notdir $(firstword $(CC)))$(if $(SAN),-$(subst $(comma),-,$(SAN)))
TS        := build/tree-sitter
export CC PYTHON

override CPPFLAGS += -I. -Ibuild/gen -I$(TS)/core/include -D_GNU_SOURCE $(PKG_CFLAGS)
override CFLAGS   += -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wvla \
                     -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
                     -Wswitch-enum $(if $(CI),-Werror)
LDLIBS  += $(PKG_LIBS) -lm
ifneq ($(SAN),)
override CFLAGS  += -fsanitize=$(SAN) -fno-sanitize-recover=all \
                    -fno-omit-frame-pointer
override LDFLAGS += -fsanitize=$(SAN)
endif
ifneq ($(STATIC),)
override LDFLAGS += -static-libgcc
endif

SRC   := $(filter-out minimizer/main.c,$(wildcard \
         $(foreach d,config grammar worker minimizer,$d/*.c $d/*/*.c)))
OBJ   := $(SRC:%.c=$(BUILD)/%.o)
TSOBJ := $(BUILD)/ts-core.o $(BUILD)/ts-parser.o $(BUILD)/ts-scanner.o
LIB   := $(BUILD)/libautodd.a
PROG  := $(BUILD)/autodd-c
UNIT  := $(patsubst %.c,$(BUILD)/%,$(wildcard test/unit/test_*.c))
FUZZ  := $(patsubst test/fuzz/fuzz_%.c,%,$(wildcard test/fuzz/fuzz_*.c))
BENCH := $(patsubst %.c,$(BUILD)/%,$(wildcard test/bench/bench_*.c))
OURS  := $(wildcard $(foreach d,config grammar worker minimizer test,\
         $d/*.[ch] $d/*/*.[ch]))

all: $(PROG)

# ---- what must be there first ------------------------------------------------

# Make reads its included files last of all but before any target, and starts
# anew when it had to make one: so the packages are there, and pkg-config has
# been asked, when the rules below are looked at.
PKGS     := libuv yaml-0.1 jansson libpcre2-8 libxxhash sqlite3 nettle
PKG_SETS := build $(if $(STATIC),static)
ifneq ($(filter-out clean help uninstall,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/packages.mk
endif

$(BUILD)/packages.mk: config/packages.sh Makefile
	@mkdir -p $(@D)
	@sh config/packages.sh $(PKG_SETS)
	@{ echo "PKG_CFLAGS := $$(pkg-config --cflags $(PKGS))"; \
	   echo "PKG_LIBS := $$(pkg-config --libs $(PKGS) | \
	       $(if $(STATIC),sed 's/-luv\b/-luv_a/; s/^/-Wl$(comma)-Bstatic /; s/$$/ -Wl$(comma)-Bdynamic/',cat))"; } >$@.new
	@mv $@.new $@

build/.packages-%: config/packages.sh
	@mkdir -p build
	@sh config/packages.sh $*
	@touch $@

$(TS)/.done: grammar/fetch.sh
	@mkdir -p build
	sh grammar/fetch.sh $(TS)
	@touch $@

# ---- build -------------------------------------------------------------------

# A file of ours as bytes: worker/zygote.py is the array zygote_py.
define embed
	@mkdir -p $(@D)
	@{ echo "/* made from $< */"; \
	   echo "static const unsigned char $(basename $(@F))[] = {"; \
	   od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g'; echo "};"; } >$@
endef
build/gen/%_py.h: %.py Makefile
	$(embed)
build/gen/%_css.h: %.css Makefile
	$(embed)

# The canary kernel, for every kind of GPU that this nvcc knows. Without an nvcc
# that works there is none, and GPUs are watched without it.
NVCC ?= $(firstword $(shell command -v nvcc) \
        $(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
CANARY := build/gen/worker/gpu/canary_fatbin.h
$(CANARY): worker/gpu/canary.cu Makefile
	@mkdir -p $(@D)
	@if [ -n "$(NVCC)" ] && { \
	    "$(NVCC)" -arch=all-major -fatbin -o $(@D)/canary.fatbin $< || \
	    "$(NVCC)" -fatbin -o $(@D)/canary.fatbin $<; } >$(@D)/canary.log 2>&1; \
	then data="$$(od -An -v -tx1 $(@D)/canary.fatbin | sed 's/ \(..\)/0x\1,/g')"; \
	else data=0; if [ -n "$(NVCC)" ]; then cat $(@D)/canary.log; fi; \
	    echo "no nvcc that works (NVCC=...): built without the canary kernel"; \
	fi; \
	{ echo "/* made from $< */"; \
	  echo "static const unsigned char canary_fatbin[]"; \
	  echo "    __attribute__((aligned(16))) = {"; echo "$$data };"; } >$@

EMBEDDED := $(CANARY) \
            $(patsubst %.py,build/gen/%_py.h,$(wildcard worker/*.py)) \
            $(patsubst %.css,build/gen/%_css.h,$(wildcard minimizer/*/*.css))

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

$(PROG): $(BUILD)/minimizer/main.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c Makefile | $(TS)/.done $(EMBEDDED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

static:
	$(MAKE) STATIC=1 SAN= BUILD=build/static build/static/autodd-c

install: $(PROG)
	install -D -m 755 $(PROG) $(DESTDIR)$(PREFIX)/bin/autodd-c
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/autodd-c

# ---- tests -------------------------------------------------------------------

# One after another, also under -j: they share the machine.
test: $(PROG) $(UNIT) $(FUZZ:%=$(BUILD)/test/fuzz/replay_%)
	$(MAKE) unit
	$(MAKE) replay
	$(MAKE) e2e

unit: $(UNIT)
	@for t in $(UNIT); do ./$$t || exit 1; done

# A test that defines __wrap_NAME gets our calls of NAME, to make them fail.
$(BUILD)/test/unit/%: $(BUILD)/test/unit/%.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka \
	    $$(sed -n 's/.*\b__wrap_\([a-z0-9_]*\).*/-Wl,--wrap=\1/p' \
	        test/unit/$*.c | sort -u)
$(UNIT:%=%.o): | build/.packages-test

# test/fuzz/corpus/NAME/ holds every input that ever mattered to fuzz_NAME.c.
replay: $(FUZZ:%=$(BUILD)/test/fuzz/replay_%)
	@for f in $(FUZZ); do \
	    ./$(BUILD)/test/fuzz/replay_$$f test/fuzz/corpus/$$f/* || exit 1; done

$(BUILD)/test/fuzz/replay_%: $(BUILD)/test/fuzz/fuzz_%.o \
                             $(BUILD)/test/fuzz/replay.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

e2e: $(PROG) build/.packages-venv build/.packages-browser
	@python=$$(sh test/venv.sh test) && \
	    AUTODD_C=$(abspath $(PROG)) "$$python" -m pytest -c test/e2e/pytest.ini \
	    -n 2 $(E2E) test/e2e

check-san:
	$(MAKE) SAN=address,undefined BUILD=$(BUILD)-san unit replay
	$(MAKE) SAN=address,undefined BUILD=$(BUILD)-san e2e

fuzz: build/.packages-clang
	$(MAKE) CC=clang SAN=fuzzer-no-link,address,undefined BUILD=build/fuzz \
	    $(FUZZ:%=build/fuzz/test/fuzz/fuzz_%)
	@for f in $(FUZZ); do \
	    mkdir -p build/fuzz/new/$$f && ./build/fuzz/test/fuzz/fuzz_$$f \
	    -max_total_time=$(FUZZ_TIME) -print_final_stats=1 \
	    -artifact_prefix=build/fuzz/ \
	    build/fuzz/new/$$f test/fuzz/corpus/$$f || exit 1; done

build/fuzz/test/fuzz/fuzz_%: build/fuzz/test/fuzz/fuzz_%.o build/fuzz/libautodd.a
	clang $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

PYTHON_OURS := $(wildcard worker/*.py test/*/*.py test/*.py)
BANNED := strcpy|strcat|sprintf|vsprintf|strtok|atoi|gets|alloca|system|popen
lint: build/.packages-lint $(SRC:%.c=build/lint/%.ok) \
      build/lint/minimizer/main.ok
	sh test/layers.sh
	! grep -nE '\b($(BANNED)) *\(' $(OURS)
	clang-format --dry-run -Werror $(OURS)
	pyflakes3 $(PYTHON_OURS)

build/lint/%.ok: %.c $(wildcard */*.h */*/*.h) Makefile | $(TS)/.done $(EMBEDDED)
	@mkdir -p $(@D)
	gcc $(CPPFLAGS) -std=c11 -O1 -fanalyzer -Werror -c -o /dev/null $<
	@touch $@

# ---- the program at work -----------------------------------------------------

DEMO := build/demo/tilelang_gemm
demo: $(PROG) build/.packages-venv
	@python=$$(sh test/venv.sh tilelang) && rm -rf build/demo && \
	mkdir -p build/demo && cp examples/tilelang_gemm.py $(DEMO).py && \
	echo "autodd-c $(DEMO).py --err-msg \"T.gemm K shape check failed\" -j 2" && \
	./$(PROG) $(DEMO).py --err-msg "T.gemm K shape check failed" -j 2 \
	    --python "$$python" --state build/demo/state.db \
	    -o $(DEMO).min.py --report build/demo/report.json \
	    --report build/demo/report.html --report build/demo/report.md

EDITS := $(BUILD)/test/bench/edits
JUDGE := $(BUILD)/test/bench/judge
bench: $(PROG) $(BENCH) $(EDITS) $(JUDGE) build/.packages-venv
	@for b in $(BENCH); do ./$$b || exit 1; done
	@python=$$(sh test/venv.sh test) && for b in test/bench/bench_*.py; do \
	    AUTODD_C=$(abspath $(PROG)) EDITS=$(abspath $(EDITS)) \
	        JUDGE=$(abspath $(JUDGE)) \
	        "$$python" $$b || exit 1; done

ASK := $(BUILD)/test/bench/ask
$(ASK): test/bench/ask.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

bench-peers: $(PROG) $(ASK) build/.packages-venv
	@python=$$(sh test/venv.sh test) && peers=$$(sh test/bench/peers.sh) && \
	    "$$python" test/bench/compare.py --autodd-c $(PROG) --ask $(ASK) \
	    --peers "$$peers" --out $(BUILD)/peers $(PEERS)

# MINIMAL='tilelang_gemm triton_mask' chooses.
bench-minimal: $(PROG) $(BUILD)/test/bench/minimal build/.packages-venv
	@python=$$(sh test/venv.sh test) && \
	    "$$python" test/bench/minimal.py --autodd-c $(PROG) \
	    --minimal $(BUILD)/test/bench/minimal --python "$$python" $(MINIMAL)

$(BUILD)/test/bench/%: $(BUILD)/test/bench/%.o $(BUILD)/test/bench/inputs.o \
                       $(BUILD)/test/bench/oracle.o $(BUILD)/test/bench/shapes.o \
                       $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

clean:
	rm -rf build

help:
	@sed -n '/^#/!q;s/^# \{0,1\}//p' Makefile

.PHONY: all static install uninstall test unit replay e2e check-san fuzz lint \
        demo bench bench-peers bench-minimal clean help
.SECONDARY:
.DELETE_ON_ERROR:
-include $(wildcard $(foreach d,config grammar worker minimizer test,\
         $(BUILD)/$d/*.d $(BUILD)/$d/*/*.d))
