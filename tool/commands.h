// Every command of the tool, each in a file of its own.
#ifndef TOOL_COMMANDS_H
#define TOOL_COMMANDS_H

#include "args.h"

extern const command command_run, command_check, command_export, command_list, command_laws, command_solve,
    command_example, command_reference, command_report, command_compare, command_sweep, command_equilibrium,
    command_modes, command_bifurcation, command_identify, command_optimise;

#endif
