/* One case at length, for a person. */
#ifndef FSC_REPORT_DETAIL_H
#define FSC_REPORT_DETAIL_H

#include "report/format.h"

void fsc__detail_print(const fsc__page *page, const cJSON *row);

#endif
