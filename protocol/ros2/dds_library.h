/** Eclipse Cyclone DDS, loaded where it is needed, and bytes of CDR as its samples. For protocol/ros2 only. */
#pragma once

#include "perception/status.h"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

#define POV_DDS_FUNCTIONS(FUNCTION)                                                                          \
    FUNCTION(dds_create_domain)                                                                              \
    FUNCTION(dds_create_participant)                                                                         \
    FUNCTION(dds_create_topic_sertype)                                                                       \
    FUNCTION(dds_create_writer)                                                                              \
    FUNCTION(dds_create_reader)                                                                              \
    FUNCTION(dds_create_waitset)                                                                             \
    FUNCTION(dds_create_readcondition)                                                                       \
    FUNCTION(dds_waitset_attach)                                                                             \
    FUNCTION(dds_waitset_wait)                                                                               \
    FUNCTION(dds_create_qos)                                                                                 \
    FUNCTION(dds_delete_qos)                                                                                 \
    FUNCTION(dds_qset_reliability)                                                                           \
    FUNCTION(dds_qset_durability)                                                                            \
    FUNCTION(dds_qset_history)                                                                               \
    FUNCTION(dds_qset_userdata)                                                                              \
    FUNCTION(dds_qset_ignorelocal)                                                                           \
    FUNCTION(dds_qset_writer_data_lifecycle)                                                                 \
    FUNCTION(dds_qget_reliability)                                                                           \
    FUNCTION(dds_qget_durability)                                                                            \
    FUNCTION(dds_writecdr)                                                                                   \
    FUNCTION(dds_takecdr)                                                                                    \
    FUNCTION(dds_take)                                                                                       \
    FUNCTION(dds_return_loan)                                                                                \
    FUNCTION(dds_get_guid)                                                                                   \
    FUNCTION(dds_get_publication_matched_status)                                                             \
    FUNCTION(dds_get_subscription_matched_status)                                                            \
    FUNCTION(dds_get_offered_incompatible_qos_status)                                                        \
    FUNCTION(dds_get_requested_incompatible_qos_status)                                                      \
    FUNCTION(dds_delete)                                                                                     \
    FUNCTION(dds_strretcode)                                                                                 \
    FUNCTION(ddsi_serdata_init)                                                                              \
    FUNCTION(ddsi_serdata_unref)                                                                             \
    FUNCTION(ddsi_sertype_v0)                                                                                \
    FUNCTION(ddsi_sertype_init)                                                                              \
    FUNCTION(ddsi_sertype_fini)

#define POV_DDS_MEMBER(name) __typeof__(name) *name;
/** Its functions. */
typedef struct {
    POV_DDS_FUNCTIONS(POV_DDS_MEMBER)
} pov_dds_library;

/** POV_ERROR: it is not installed, or lacks a function. */
POV_MUST_USE pov_status pov_dds_library_load(pov_dds_library *library);

/** A type whose samples are bytes; DDS frees it with the last topic of it. NULL: no memory. */
struct ddsi_sertype *pov_dds_type_new(const pov_dds_library *library, const char *type_name);
/** A sample of it. NULL: no memory. */
struct ddsi_serdata *pov_dds_sample_new(const struct ddsi_sertype *type, const uint8_t *bytes, size_t len);
/** Borrowed from the sample. */
void pov_dds_sample_bytes(const struct ddsi_serdata *sample, const uint8_t **bytes, size_t *len);
