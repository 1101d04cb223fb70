# A thin front over CMake; `make help` lists what there is.
PREFIX ?= /usr/local
DESTDIR ?=
NATIVE ?= ON
DEMO ?= slider-crank
SECONDS ?= 1800
SEED ?= 1

.DEFAULT_GOAL := all
.PHONY: all demo test campaign bench viewer gallery install clean help setup

release = cmake --preset release -DCAROM_NATIVE=$(NATIVE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null && \
          cmake --build --preset release
check   = cmake --preset check >/dev/null && cmake --build --preset check

all: ## build the library and the tool into build/release
	@$(release)

demo: ## install what is missing, build, run a model, show its results
	@scripts/setup build
	@$(release) --target carom_tool
	@mkdir -p build/demo
	build/release/carom run models/$(DEMO).yaml -o build/demo/$(DEMO).h5 --csv build/demo/$(DEMO).csv
	@build/release/carom report build/demo/$(DEMO).h5 -o build/demo/$(DEMO).html >/dev/null
	@echo "results: build/demo/$(DEMO).h5 and build/demo/$(DEMO).csv"
	@echo "to see it move, open in a browser: file://$(CURDIR)/build/demo/$(DEMO).html"

test: ## install what is missing, build, run every test, end with a count
	@scripts/setup build test viewer python mpi
	@$(release)
	@$(check)
	@scripts/run-tests build/check build/release

campaign: ## long runs in the optimised build, then random trials and fuzzing under the sanitizers (SECONDS=1800 SEED=1); all in one log
	@scripts/setup build test
	@$(release) --target long-runs
	@cmake --preset check >/dev/null && cmake --build --preset check --target campaign fuzzers
	@scripts/campaign $(SECONDS) $(SEED)

bench: ## measure, beside the peers that are installed
	@scripts/setup build bench viewer python
	@$(release) --target bench
	@echo "== Python" && { scripts/python bench build/release || [ $$? -eq 77 ]; }
	@echo "== the report's page" && { scripts/viewer bench || [ $$? -eq 77 ]; }

viewer: ## build the page of reports with Vite into viewer/dist, which is checked in
	@scripts/setup viewer
	@scripts/viewer build

gallery: ## run every model, write its report and a picture of it: docs/gallery/index.html
	@scripts/setup build viewer
	@$(release) --target carom_tool
	@scripts/gallery

install: ## install library, headers, tool, Python package, man page and completion (PREFIX, DESTDIR)
	@$(release) --target carom_static carom_shared carom_tool
	@DESTDIR=$(DESTDIR) cmake --install build/release
	@DESTDIR=$(DESTDIR) scripts/python install build/release $(PREFIX)

setup: ## install the packages needed to build and test
	@scripts/setup build test

clean: ## remove everything built
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "options: PREFIX=/usr/local  DESTDIR=  NATIVE=ON (OFF: code for any x86-64)  DEMO=model"
