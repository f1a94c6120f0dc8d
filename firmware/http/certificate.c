#include "firmware/http/certificate.h"

#include "config/files/write_file.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VALID_DAYS = 3650, SERIAL_BYTES = 16 };

static bool add_extension(X509 *certificate, int which, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, which, value);
    const bool added = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

static bool set_serial(X509 *certificate)
{
    unsigned char bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    const bool set = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return set;
}

static bool fill_certificate(X509 *certificate, EVP_PKEY *key, const char *host)
{
    char names[320];
    X509_NAME *name = X509_get_subject_name(certificate);
    snprintf(names, sizeof names, "DNS:%s,DNS:%s.local,DNS:localhost,IP:127.0.0.1", host, host);
    return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), 0) &&
           X509_time_adj_ex(X509_getm_notAfter(certificate), VALID_DAYS, 0, NULL) &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)host, -1, -1, 0) ==
               1 &&
           X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
           add_extension(certificate, NID_subject_alt_name, names) &&
           add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

static pov_status write_certificate(const char *path, X509 *certificate, EVP_PKEY *key)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    pov_status status = pov_ok();
    if (fchmod(fileno(file.stream), 0600) != 0 || PEM_write_X509(file.stream, certificate) != 1 ||
        PEM_write_PrivateKey(file.stream, key, NULL, NULL, 0, NULL, NULL) != 1)
        status = pov_error("%s: cannot be written", path);
    return pov_write_file_end(&file, status);
}

static pov_status make_certificate(const char *path, const char *host)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    pov_status status = key && certificate && fill_certificate(certificate, key, host)
                            ? write_certificate(path, certificate, key)
                            : pov_error("%s: OpenSSL cannot make a certificate for %s", path, host);
    X509_free(certificate);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return status;
}

static pov_status read_fingerprint(char fingerprint[POV_FINGERPRINT_CAPACITY], const char *path)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    FILE *stream = fopen(path, "r");
    if (!stream)
        return pov_error("%s: %s", path, strerror(errno));
    X509 *certificate = PEM_read_X509(stream, NULL, NULL, NULL);
    fclose(stream);
    const bool read = certificate && X509_digest(certificate, EVP_sha256(), digest, &len) == 1;
    X509_free(certificate);
    ERR_clear_error();
    if (!read)
        return pov_error("%s: no certificate in PEM form; remove the file and pov makes one", path);
    for (unsigned i = 0; i < len && 3 * i + 3 <= POV_FINGERPRINT_CAPACITY; i++)
        snprintf(fingerprint + 3 * i, POV_FINGERPRINT_CAPACITY - 3 * i, i + 1 < len ? "%02X:" : "%02X",
                 digest[i]);
    return pov_ok();
}

pov_status pov_certificate_provide(char fingerprint[POV_FINGERPRINT_CAPACITY], const char *path,
                                   const char *host)
{
    fingerprint[0] = '\0';
    if (access(path, F_OK) != 0)
        POV_TRY(make_certificate(path, host));
    return read_fingerprint(fingerprint, path);
}
