/** A certificate for TLS that nobody has signed but this machine. */
#pragma once

#include "perception/status.h"

enum { POV_FINGERPRINT_CAPACITY = 3 * 32 }; /* SHA-256 as AB:CD:... */

/** Makes a certificate for `host` with its key (P-256, valid for ten years) as a PEM file of mode 600, unless the file exists: an
 *  own certificate may stand there.
 *  Out: fingerprint: of the certificate in the file, as browsers show it. Errors: the file cannot be written, or is not a certificate. */
POV_MUST_USE pov_status pov_certificate_provide(char fingerprint[POV_FINGERPRINT_CAPACITY], const char *path,
                                                const char *host);
