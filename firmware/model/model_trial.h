/** Opens networks from files that may be made to harm: no library's importer is hardened. */
#pragma once

#include "firmware/options.h"
#include "perception/models/detector.h"

/** Has another process load and run the network first, with bounds of memory and time.
 *  Returns: POV_ERROR if that process crashed or exceeded its bounds; POV_OK otherwise, also if the network is refused: opening it
 *  here will say why. In: path: of a contract or an ONNX model; engine: as pov_model_open takes it. The trial is on the CPU, whatever
 *  the provider: CUDA reserves more addresses than the bound allows. */
POV_MUST_USE pov_status pov_model_try(const char *path, pov_engine engine);
/** In that process: sets its bounds. */
void pov_model_trial_bound(void);
/** In that process: its exit code. In: what loading and running the network once gave. */
int pov_model_trial_end(pov_status tried);

/** pov_model_open (config/models/model_file.h) after a trial. */
POV_MUST_USE pov_status pov_model_open_tried(pov_detector **detector, const char *contract_path,
                                             pov_engine engine);

/** Tells on stderr what a network runs on, as a warning if the contract or the command line asked for something else. Tells nothing
 *  for OpenCV, the default, which runs on the CPU only. */
void pov_model_tell_engine(const pov_detector *detector, const char *contract_path);

/** Options of a command that runs networks: they fill TYPE's member `engine`, a pov_engine. */
#define POV_ENGINE_OPTIONS(TYPE)                                                                             \
    POV_CHOICE(TYPE, engine.backend, "backend", "NAME", pov_backend_name,                                    \
               "the library that runs the network, instead of the contract's"),                              \
        POV_CHOICE(TYPE, engine.provider, "provider", "NAME", pov_provider_name,                             \
                   "ONNX Runtime's execution provider: what it runs on")
