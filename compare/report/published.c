/* Copied from the papers. COMFORT's Table 3 gives other numbers than its Table 8 for GLaMM and both LLaVA: here is 8, the
   full one. FoREST's tables and Isle-Brick's correctness are not here. */
#include "compare/report/report_internal.h"

#include <ctype.h>
#include <string.h>

static const char *const comfort_performance_0[] = {
    "InstructBLIP-7B\tBALL\tcam\t66.7\t47.2\t43.9\t57.8\t26.7\t48.4\t17.2\t16.6",
    "InstructBLIP-13B\tBALL\tcam\t67.3\t47.2\t43.0\t55.5\t27.1\t48.2\t17.3\t21.0",
    "mBLIP-BLOOMZ\tBALL\tcam\t99.1\t47.5\t52.1\t62.1\t43.7\t54.1\t29.1\t33.8",
    "GLaMM\tBALL\tcam\t100.0\t47.2\t33.0\t45.2\t29.9\t45.0\t10.1\t13.7",
    "LLaVA-1.5-7B\tBALL\tcam\t100.0\t63.2\t20.7\t33.7\t25.2\t23.5\t5.8\t8.3",
    "LLaVA-1.5-13B\tBALL\tcam\t100.0\t55.3\t25.7\t37.6\t19.3\t24.9\t7.0\t9.3",
    "XComposer2\tBALL\tcam\t100.0\t92.4\t20.0\t21.1\t19.2\t13.7\t9.0\t10.5",
    "MiniCPM-V\tBALL\tcam\t66.8\t81.0\t22.4\t32.8\t19.2\t29.8\t10.1\t12.4",
    "GPT-4o\tBALL\tcam\t100.0\t89.2\t27.4\t27.5\t20.9\t43.1\t14.1\t14.2",
    "InstructBLIP-7B\tCAR\tcam\t66.7\t47.2\t43.5\t56.4\t30.5\t43.4\t16.9\t22.6",
    "InstructBLIP-13B\tCAR\tcam\t50.3\t47.2\t43.8\t55.9\t36.8\t46.4\t17.0\t21.9",
    "mBLIP-BLOOMZ\tCAR\tcam\t33.3\t51.9\t55.4\t65.6\t48.6\t60.7\t30.1\t42.0",
    "GLaMM\tCAR\tcam\t99.8\t47.2\t23.3\t37.6\t23.4\t28.4\t9.4\t14.6",
    "LLaVA-1.5-7B\tCAR\tcam\t88.6\t55.2\t18.4\t32.5\t20.0\t21.8\t5.4\t10.7",
    "LLaVA-1.5-13B\tCAR\tcam\t98.6\t51.6\t23.8\t37.1\t20.8\t29.9\t5.8\t10.8",
    "XComposer2\tCAR\tcam\t95.3\t85.6\t18.8\t26.3\t15.3\t22.9\t6.5\t12.0",
    "MiniCPM-V\tCAR\tcam\t81.5\t72.4\t24.6\t35.8\t19.2\t22.7\t9.2\t14.9",
    "GPT-4o\tCAR\tcam\t94.5\t78.3\t28.1\t35.0\t24.0\t38.8\t13.3\t16.7",
    "Random (30 trials)\tany\tcam\t50.0\t50.9\t46.3\t58.7\t28.3\t26.6\t42.5\t44.2",
    "Always \"Yes\"\tany\tcam\t50.0\t47.2\t61.2\t68.7\t0.0\t0.0\t0.0\t100.0",
    NULL};

static const char *const comfort_performance_1[] = {"InstructBLIP-7B\tCAR\trel\t47.2\t42.3",
                                                    "InstructBLIP-13B\tCAR\trel\t47.2\t43.2",
                                                    "mBLIP-BLOOMZ\tCAR\trel\t49.8\t54.2",
                                                    "GLaMM\tCAR\trel\t47.2\t44.2",
                                                    "LLaVA-1.5-7B\tCAR\trel\t48.3\t45.7",
                                                    "LLaVA-1.5-13B\tCAR\trel\t47.3\t45.0",
                                                    "XComposer2\tCAR\trel\t51.0\t51.0",
                                                    "MiniCPM-V\tCAR\trel\t49.9\t47.8",
                                                    "GPT-4o\tCAR\trel\t53.4\t44.6",
                                                    "InstructBLIP-7B\tCAR\tadd\t47.2\t43.6",
                                                    "InstructBLIP-13B\tCAR\tadd\t47.2\t42.9",
                                                    "mBLIP-BLOOMZ\tCAR\tadd\t49.6\t55.8",
                                                    "GLaMM\tCAR\tadd\t47.2\t42.8",
                                                    "LLaVA-1.5-7B\tCAR\tadd\t48.2\t43.4",
                                                    "LLaVA-1.5-13B\tCAR\tadd\t47.5\t38.9",
                                                    "XComposer2\tCAR\tadd\t53.2\t49.8",
                                                    "MiniCPM-V\tCAR\tadd\t52.9\t45.1",
                                                    "GPT-4o\tCAR\tadd\t49.1\t44.9",
                                                    NULL};

static const char *const comfort_convention_2[] = {"InstructBLIP-7B\tBALL\tcam\t40.5\t44.2\t43.9\t-",
                                                   "InstructBLIP-13B\tBALL\tcam\t44.0\t42.3\t43.0\t-",
                                                   "mBLIP-BLOOMZ\tBALL\tcam\t52.3\t50.5\t52.1\t-",
                                                   "GLaMM\tBALL\tcam\t39.5\t47.9\t33.0\treflected",
                                                   "LLaVA-1.5-7B\tBALL\tcam\t34.5\t49.0\t20.7\treflected",
                                                   "LLaVA-1.5-13B\tBALL\tcam\t43.4\t43.2\t25.7\treflected",
                                                   "XComposer2\tBALL\tcam\t47.3\t50.1\t20.0\treflected",
                                                   "MiniCPM-V\tBALL\tcam\t44.0\t49.1\t22.4\treflected",
                                                   "GPT-4o\tBALL\tcam\t49.7\t55.5\t27.4\treflected",
                                                   NULL};

static const char *const comfort_perspective_3[] = {"InstructBLIP-7B\tCAR\tnop\t41.8\t42.3\t42.3\t-",
                                                    "InstructBLIP-13B\tCAR\tnop\t43.5\t41.7\t41.8\t-",
                                                    "mBLIP-BLOOMZ\tCAR\tnop\t47.7\t48.4\t47.1\t-",
                                                    "GLaMM\tCAR\tnop\t24.0\t51.1\t48.9\tegocentric",
                                                    "LLaVA-1.5-7B\tCAR\tnop\t21.4\t49.8\t44.4\tegocentric",
                                                    "LLaVA-1.5-13B\tCAR\tnop\t20.8\t45.7\t43.1\tegocentric",
                                                    "XComposer2\tCAR\tnop\t15.8\t54.3\t51.4\tegocentric",
                                                    "MiniCPM-V\tCAR\tnop\t26.7\t51.5\t51.3\tegocentric",
                                                    "GPT-4o\tCAR\tnop\t35.1\t50.9\t51.3\tegocentric",
                                                    NULL};

static const char *const comfort_reading_4[] = {
    "GPT-4o\taf\tCAR\tnop\t50.9\t49.2\t57.8\t33.7\t57.5\t55.5\t56.6",
    "GPT-4o\tak\tCAR\tnop\t51.8\t48.8\t52.2\t39.6\t53.8\t50.6\t50.4",
    "GPT-4o\tam\tCAR\tnop\t52.1\t50.9\t60.7\t47.4\t57.6\t54.2\t56.8",
    "GPT-4o\tar\tCAR\tnop\t55.7\t51.0\t59.0\t35.8\t59.8\t55.8\t56.6",
    "GPT-4o\tas\tCAR\tnop\t51.6\t51.6\t55.3\t40.8\t56.0\t52.8\t48.8",
    "GPT-4o\taz\tCAR\tnop\t49.8\t51.6\t56.2\t41.9\t55.5\t52.4\t50.7",
    "GPT-4o\tbe\tCAR\tnop\t54.4\t46.5\t61.7\t39.7\t58.9\t51.9\t51.1",
    "GPT-4o\tbg\tCAR\tnop\t56.9\t51.4\t56.0\t32.8\t58.9\t55.6\t55.7",
    "GPT-4o\tbho\tCAR\tnop\t51.5\t47.5\t58.3\t42.8\t56.5\t51.4\t52.3",
    "GPT-4o\tbn\tCAR\tnop\t55.8\t50.2\t57.1\t34.5\t57.4\t56.1\t53.8",
    "GPT-4o\tbs\tCAR\tnop\t55.1\t49.6\t58.5\t35.2\t59.4\t53.1\t54.3",
    "GPT-4o\tca\tCAR\tnop\t55.6\t53.0\t56.9\t34.7\t59.7\t56.4\t56.0",
    "GPT-4o\tceb\tCAR\tnop\t52.9\t54.9\t52.7\t40.0\t60.3\t49.5\t55.3",
    "GPT-4o\tckb\tCAR\tnop\t50.4\t50.6\t53.3\t36.1\t56.3\t52.0\t50.3",
    "GPT-4o\tco\tCAR\tnop\t57.6\t54.3\t57.4\t35.4\t59.7\t58.8\t58.8",
    "GPT-4o\tcs\tCAR\tnop\t56.4\t52.4\t58.2\t35.7\t58.0\t58.5\t57.0",
    "GPT-4o\tcy\tCAR\tnop\t55.1\t48.7\t59.5\t36.7\t58.5\t54.8\t54.9",
    "GPT-4o\tda\tCAR\tnop\t54.9\t53.1\t55.2\t33.0\t56.9\t58.3\t57.6",
    "GPT-4o\tde\tCAR\tnop\t55.7\t52.8\t58.4\t36.2\t60.3\t56.6\t56.9",
    "GPT-4o\tel\tCAR\tnop\t54.4\t52.2\t57.1\t34.4\t57.7\t57.5\t57.1",
    "GPT-4o\ten\tCAR\tnop\t50.9\t53.7\t57.3\t35.8\t58.8\t51.3\t58.8",
    "GPT-4o\teo\tCAR\tnop\t58.0\t54.6\t56.4\t34.3\t60.2\t58.2\t58.2",
    "GPT-4o\tes\tCAR\tnop\t56.9\t53.3\t58.1\t36.2\t59.0\t58.5\t57.0",
    "GPT-4o\tet\tCAR\tnop\t53.7\t51.7\t56.0\t35.1\t58.5\t54.8\t55.0",
    "GPT-4o\teu\tCAR\tnop\t56.8\t53.2\t56.8\t34.3\t59.5\t57.1\t56.7",
    "GPT-4o\tfa\tCAR\tnop\t55.8\t49.8\t55.3\t32.1\t58.0\t53.8\t54.4",
    "GPT-4o\tfi\tCAR\tnop\t53.9\t50.8\t56.7\t33.7\t57.6\t56.1\t56.3",
    "GPT-4o\tfil\tCAR\tnop\t50.9\t49.2\t54.1\t31.1\t55.7\t54.0\t54.3",
    "GPT-4o\tfr\tCAR\tnop\t58.0\t53.7\t57.4\t35.2\t59.4\t58.5\t58.6",
    "GPT-4o\tfy\tCAR\tnop\t53.9\t49.6\t58.9\t38.2\t59.2\t53.2\t53.4",
    "GPT-4o\tga\tCAR\tnop\t54.0\t49.2\t55.3\t33.2\t53.9\t55.7\t52.7",
    "GPT-4o\tgd\tCAR\tnop\t53.9\t49.6\t58.5\t35.4\t58.1\t55.8\t54.7",
    "GPT-4o\tgl\tCAR\tnop\t56.6\t53.4\t59.0\t37.1\t60.0\t57.9\t57.9",
    "GPT-4o\tgom\tCAR\tnop\t51.1\t50.5\t55.5\t53.1\t51.8\t54.9\t52.5",
    "GPT-4o\tgu\tCAR\tnop\t52.6\t50.9\t54.2\t36.6\t53.8\t55.3\t55.5",
    "GPT-4o\tha\tCAR\tnop\t54.0\t53.0\t56.1\t41.0\t56.1\t55.3\t52.8",
    "GPT-4o\thaw\tCAR\tnop\t55.3\t51.5\t62.1\t42.2\t60.8\t56.2\t60.5",
    "GPT-4o\the\tCAR\tnop\t56.5\t52.5\t58.8\t36.4\t60.3\t56.5\t57.1",
    "GPT-4o\thi\tCAR\tnop\t52.5\t49.1\t56.6\t37.8\t54.2\t54.6\t54.5",
    "GPT-4o\tht\tCAR\tnop\t56.1\t53.6\t58.3\t36.0\t59.6\t58.2\t58.4",
    "GPT-4o\thu\tCAR\tnop\t55.2\t50.7\t57.5\t35.0\t56.7\t56.8\t56.1",
    "GPT-4o\thy\tCAR\tnop\t52.2\t48.8\t56.7\t35.4\t57.2\t52.5\t53.6",
    "GPT-4o\tid\tCAR\tnop\t55.9\t52.2\t58.1\t35.6\t58.1\t57.8\t57.1",
    "GPT-4o\tig\tCAR\tnop\t54.5\t47.4\t56.7\t33.8\t55.3\t53.2\t53.6",
    "GPT-4o\tilo\tCAR\tnop\t50.8\t58.9\t46.7\t44.6\t48.7\t57.0\t48.9",
    "GPT-4o\tis\tCAR\tnop\t55.9\t52.2\t57.0\t34.2\t57.3\t58.0\t56.5",
    "GPT-4o\tit\tCAR\tnop\t56.8\t53.6\t57.6\t35.6\t59.6\t58.2\t57.9",
    "GPT-4o\tja\tCAR\tnop\t54.7\t50.4\t56.9\t34.5\t57.3\t55.9\t54.4",
    "GPT-4o\tjv\tCAR\tnop\t53.5\t51.0\t57.7\t35.3\t58.9\t54.8\t55.7",
    "GPT-4o\tka\tCAR\tnop\t51.1\t50.6\t54.3\t34.8\t55.3\t54.0\t52.0",
    "GPT-4o\tkk\tCAR\tnop\t52.6\t50.4\t58.8\t36.5\t56.9\t56.1\t54.0",
    "GPT-4o\tkm\tCAR\tnop\t55.6\t50.5\t60.2\t37.6\t59.3\t56.6\t56.9",
    "GPT-4o\tkn\tCAR\tnop\t52.3\t49.5\t53.2\t40.8\t53.4\t51.9\t49.6",
    "GPT-4o\tko\tCAR\tnop\t53.6\t49.7\t59.1\t36.5\t59.8\t53.5\t53.3",
    "GPT-4o\tkri\tCAR\tnop\t58.3\t51.2\t57.1\t36.2\t60.2\t53.2\t56.1",
    "GPT-4o\tku\tCAR\tnop\t56.5\t53.1\t54.4\t49.5\t54.0\t55.2\t53.1",
    "GPT-4o\tla\tCAR\tnop\t52.2\t55.5\t49.8\t43.9\t56.6\t50.8\t55.1",
    "GPT-4o\tlb\tCAR\tnop\t54.7\t50.3\t57.6\t35.6\t59.9\t53.0\t58.6",
    "GPT-4o\tln\tCAR\tnop\t52.6\t59.4\t50.3\t45.7\t58.0\t51.3\t54.6",
    "GPT-4o\tlo\tCAR\tnop\t55.8\t53.7\t55.0\t40.1\t55.5\t55.7\t54.7",
    "GPT-4o\tlt\tCAR\tnop\t54.4\t51.6\t58.3\t35.5\t59.1\t56.5\t57.4",
    "GPT-4o\tlv\tCAR\tnop\t55.8\t53.8\t57.7\t35.5\t58.8\t58.7\t57.9",
    "GPT-4o\tmai\tCAR\tnop\t52.7\t49.9\t55.1\t39.8\t56.5\t50.6\t51.2",
    "GPT-4o\tmg\tCAR\tnop\t47.1\t48.1\t52.2\t37.1\t53.5\t50.9\t53.1",
    "GPT-4o\tmi\tCAR\tnop\t52.0\t47.6\t58.5\t36.6\t58.1\t51.9\t52.0",
    "GPT-4o\tmk\tCAR\tnop\t54.8\t49.5\t59.1\t37.0\t58.1\t56.0\t56.5",
    "GPT-4o\tmn\tCAR\tnop\t54.1\t47.4\t56.8\t36.7\t54.7\t53.6\t54.7",
    "GPT-4o\tmr\tCAR\tnop\t52.9\t48.3\t55.0\t34.5\t55.4\t52.4\t51.7",
    "GPT-4o\tms\tCAR\tnop\t54.2\t50.5\t55.8\t33.1\t57.9\t55.4\t55.9",
    "GPT-4o\tmt\tCAR\tnop\t53.4\t49.2\t56.1\t37.5\t55.5\t53.8\t50.8",
    "GPT-4o\tmy\tCAR\tnop\t54.9\t51.8\t58.7\t39.3\t58.1\t56.1\t54.2",
    "GPT-4o\tnb\tCAR\tnop\t55.1\t52.1\t57.0\t34.7\t57.3\t57.6\t58.1",
    "GPT-4o\tne\tCAR\tnop\t53.1\t47.3\t58.4\t39.4\t54.0\t54.1\t52.9",
    "GPT-4o\tnl\tCAR\tnop\t51.7\t48.3\t56.3\t34.5\t57.8\t51.6\t53.5",
    "GPT-4o\tnso\tCAR\tnop\t53.8\t57.1\t51.0\t42.6\t53.7\t54.2\t46.3",
    "GPT-4o\tny\tCAR\tnop\t53.7\t48.0\t56.6\t34.5\t56.7\t52.8\t54.4",
    "GPT-4o\tom\tCAR\tnop\t51.1\t50.6\t57.3\t43.5\t52.9\t54.8\t54.9",
    "GPT-4o\tpl\tCAR\tnop\t55.8\t52.5\t55.8\t32.9\t59.5\t55.1\t55.1",
    "GPT-4o\tps\tCAR\tnop\t53.0\t48.9\t57.4\t34.6\t57.4\t54.6\t53.7",
    "GPT-4o\tpt\tCAR\tnop\t56.3\t51.9\t58.2\t35.9\t57.6\t59.3\t59.1",
    "GPT-4o\tro\tCAR\tnop\t57.1\t53.8\t57.0\t34.8\t59.1\t58.6\t58.2",
    "GPT-4o\tru\tCAR\tnop\t56.2\t53.0\t58.8\t36.9\t60.8\t56.3\t56.8",
    "GPT-4o\trw\tCAR\tnop\t53.2\t48.9\t56.7\t35.2\t57.2\t54.1\t54.4",
    "GPT-4o\tsa\tCAR\tnop\t51.9\t51.9\t54.1\t41.2\t51.6\t56.4\t51.7",
    "GPT-4o\tsd\tCAR\tnop\t51.3\t49.1\t56.5\t40.3\t57.4\t49.8\t54.8",
    "GPT-4o\tsi\tCAR\tnop\t52.4\t48.6\t54.6\t38.4\t56.6\t51.5\t53.4",
    "GPT-4o\tsk\tCAR\tnop\t56.1\t54.7\t57.1\t37.7\t59.8\t56.7\t57.2",
    "GPT-4o\tsl\tCAR\tnop\t55.8\t49.5\t59.3\t36.5\t58.9\t54.3\t53.9",
    "GPT-4o\tsn\tCAR\tnop\t56.0\t52.2\t56.0\t34.7\t58.5\t55.6\t54.8",
    "GPT-4o\tso\tCAR\tnop\t53.7\t48.2\t56.4\t34.3\t58.4\t51.6\t50.0",
    "GPT-4o\tsq\tCAR\tnop\t53.6\t49.0\t56.4\t35.1\t60.1\t50.3\t52.6",
    "GPT-4o\tsr\tCAR\tnop\t55.4\t50.9\t57.2\t34.5\t58.8\t55.0\t52.5",
    "GPT-4o\tst\tCAR\tnop\t53.9\t51.0\t55.4\t38.4\t55.8\t54.4\t51.3",
    "GPT-4o\tsu\tCAR\tnop\t51.3\t50.0\t55.0\t36.7\t57.7\t50.4\t53.7",
    "GPT-4o\tsv\tCAR\tnop\t54.0\t51.7\t56.7\t33.5\t58.2\t56.3\t55.8",
    "GPT-4o\tsw\tCAR\tnop\t55.3\t52.4\t56.8\t34.2\t58.4\t56.5\t57.2",
    "GPT-4o\tta\tCAR\tnop\t52.0\t51.1\t55.2\t40.4\t54.6\t52.9\t52.2",
    "GPT-4o\ttg\tCAR\tnop\t55.7\t49.7\t57.7\t36.7\t56.3\t56.6\t55.4",
    "GPT-4o\tth\tCAR\tnop\t55.5\t50.8\t57.9\t35.4\t57.3\t57.8\t56.2",
    "GPT-4o\ttk\tCAR\tnop\t52.3\t51.5\t59.0\t45.3\t59.1\t51.2\t52.6",
    "GPT-4o\ttr\tCAR\tnop\t55.3\t50.8\t56.3\t33.6\t56.3\t57.0\t56.2",
    "GPT-4o\tts\tCAR\tnop\t49.4\t53.7\t50.0\t44.6\t53.6\t51.5\t53.3",
    "GPT-4o\tuk\tCAR\tnop\t56.6\t50.1\t58.8\t36.1\t59.7\t55.7\t56.8",
    "GPT-4o\tur\tCAR\tnop\t52.3\t49.7\t56.7\t34.6\t57.0\t55.1\t54.0",
    "GPT-4o\tuz\tCAR\tnop\t52.6\t48.1\t56.4\t34.5\t56.6\t53.2\t51.7",
    "GPT-4o\tvi\tCAR\tnop\t53.9\t48.6\t58.5\t34.6\t56.8\t56.1\t55.7",
    "GPT-4o\tyi\tCAR\tnop\t56.7\t53.5\t57.9\t36.5\t60.0\t57.3\t56.8",
    "GPT-4o\tzh\tCAR\tnop\t54.6\t51.4\t58.3\t35.5\t57.8\t57.2\t56.9",
    "GPT-4o\tzu\tCAR\tnop\t55.6\t53.1\t57.7\t35.9\t60.2\t56.5\t55.3",
    NULL};

static const char *const vsr_by_category_5[] = {"human ceiling\t95.4", "CLIP (w/ prompting)\t56.0",
                                                "VisualBERT\t55.2",    "ViLT\t69.3",
                                                "LXMERT\t70.1",        NULL};

static const char *const sphere_by_task_6[] = {
    "Human baseline\t93.0\t90.4\t98.0\t98.0\t95.0\t95.6\t91.0\t91.0\t87.0\t91.0",
    "Random baseline\t49.1\t50.0\t-\t50.0\t50.0\t-\t-\t44.3\t50.0\t50.0",
    "Phi-3.5-Vision (4B)\t54.3\t61.8\t58.7\t56.7\t76.0\t44.4\t36.1\t47.2\t54.4\t55.5",
    "LLaVA-NeXT (7B)\t50.6\t53.6\t68.7\t54.5\t70.9\t42.0\t35.4\t36.1\t48.7\t49.1",
    "LLaVA-OneVision (7B)\t61.5\t60.2\t76.1\t64.2\t84.0\t53.3\t53.8\t52.9\t53.0\t59.6",
    "Qwen2-VL (7B)\t55.0\t63.2\t74.1\t53.0\t78.6\t36.1\t33.5\t50.8\t54.0\t55.2",
    "Qwen2.5-VL (7B)\t54.1\t59.3\t82.1\t58.9\t73.6\t44.7\t31.6\t37.9\t48.7\t54.1",
    "Janus-Pro (7B)\t54.0\t57.1\t70.6\t59.3\t76.5\t37.3\t33.5\t46.8\t53.5\t54.3",
    "InstructBLIP (8B)\t47.0\t45.6\t64.7\t50.4\t56.2\t32.0\t28.5\t38.1\t54.8\t52.7",
    "Idefics2 (8B)\t44.2\t50.1\t45.3\t49.1\t58.5\t22.5\t27.8\t40.1\t51.0\t53.3",
    "InternVL2.5 (8B)\t57.3\t62.2\t72.6\t64.6\t78.3\t50.2\t43.8\t41.8\t52.7\t53.6",
    "Qwen-VL (10B)\t52.0\t55.9\t72.9\t59.2\t72.0\t37.2\t29.9\t34.7\t54.3\t54.3",
    "Llama-3.2-Vision (11B)\t49.7\t58.4\t53.5\t52.9\t67.2\t29.8\t27.7\t40.8\t60.7\t56.1",
    "Qwen2-VL (72B)\t59.8\t62.8\t80.6\t60.8\t85.5\t37.3\t38.0\t69.3\t53.9\t55.0",
    "Qwen2.5-VL (72B)\t64.3\t63.7\t81.1\t69.9\t89.3\t51.5\t55.7\t66.4\t50.3\t56.4",
    "Llama-3.2-Vision (90B)\t56.2\t66.0\t59.2\t65.2\t75.8\t40.1\t31.8\t52.8\t61.6\t55.3",
    "Gemini 2.0 Flash\t61.7\t68.6\t82.1\t75.2\t86.9\t50.3\t52.5\t49.7\t48.0\t49.2",
    "GPT-4o\t67.9\t71.7\t76.6\t71.3\t89.4\t54.4\t62.7\t58.8\t66.0\t63.3",
    "SpatialBot-RGB (3B)\t53.6\t55.9\t67.7\t52.8\t73.0\t38.5\t39.2\t38.7\t57.6\t60.3",
    "SpatialBot (3B)\t53.1\t55.5\t72.1\t51.9\t75.4\t39.1\t36.1\t38.9\t56.5\t54.6",
    "SpaceMantis (8B)\t50.4\t52.7\t52.7\t57.0\t63.1\t28.4\t43.7\t45.6\t56.6\t54.2",
    "SpatialRGPT-RGB (8B)\t55.3\t59.3\t70.1\t59.2\t74.6\t42.6\t46.2\t40.9\t54.5\t53.2",
    NULL};

static const char *const sphere_by_task_7[] = {"Phi-3.5-Vision (4B)\t77.9\t44.5",
                                               "LLaVA-NeXT (7B)\t69.3\t36.7",
                                               "LLaVA-OneVision (7B)\t73.7\t45.7",
                                               "Qwen2-VL (7B)\t69.1\t56.0",
                                               "Qwen2.5-VL (7B)\t69.0\t48.8",
                                               "Janus-Pro (7B)\t65.0\t48.6",
                                               "InstructBLIP (8B)\t43.0\t48.4",
                                               "Idefics2 (8B)\t48.5\t51.9",
                                               "InternVL2.5 (8B)\t75.7\t47.7",
                                               "Qwen-VL (10B)\t65.6\t45.5",
                                               "Llama-3.2-Vision (11B)\t60.5\t56.0",
                                               "Qwen2-VL (72B)\t70.3\t55.6",
                                               "Qwen2.5-VL (72B)\t78.7\t47.6",
                                               "Llama-3.2-Vision (90B)\t72.9\t58.6",
                                               "Gemini 2.0 Flash\t83.2\t52.9",
                                               "GPT-4o\t79.5\t63.4",
                                               "SpatialBot-RGB (3B)\t68.6\t42.2",
                                               "SpatialBot (3B)\t69.7\t40.2",
                                               "SpaceMantis (8B)\t56.2\t48.8",
                                               "SpatialRGPT-RGB (8B)\t73.2\t44.4",
                                               NULL};

static const char *const vpt_directional_bias_8[] = {"GPT-4-o\tQ4\t123\t21\t0",
                                                     "GPT-4-o\tQ5\t144\t0\t0",
                                                     "GPT-4-o\tQ7\t134\t10\t0",
                                                     "GPT-4-Turbo\tQ4\t144\t0\t0",
                                                     "GPT-4-Turbo\tQ5\t144\t0\t0",
                                                     "GPT-4-Turbo\tQ7\t127\t16\t1",
                                                     "Claude 3.5 Sonnet\tQ4\t117\t21\t6",
                                                     "Claude 3.5 Sonnet\tQ5\t144\t0\t0",
                                                     "Claude 3.5 Sonnet\tQ7\t76\t68\t0",
                                                     "Claude 3 Sonnet\tQ4\t127\t0\t17",
                                                     "Claude 3 Sonnet\tQ5\t144\t0\t0",
                                                     "Claude 3 Sonnet\tQ7\t121\t1\t22",
                                                     "Llama-3.2-11B-Vision-Instruct\tQ4\t111\t33\t0",
                                                     "Llama-3.2-11B-Vision-Instruct\tQ5\t143\t1\t0",
                                                     "Llama-3.2-11B-Vision-Instruct\tQ7\t139\t2\t3",
                                                     NULL};

const pov_published POV_PUBLISHED[] = {
    {"comfort", "performance", "Zhang et al. 2025, Table 5",
     "model\tset\tprompt\tobject_f1\taccuracy\teps_cos\teps_hemi\tsigma\teta\tc_sym\tc_opp",
     comfort_performance_0},
    {"comfort", "performance", "Zhang et al. 2025, Table 4", "model\tset\tprompt\taccuracy\teps_cos",
     comfort_performance_1},
    {"comfort", "convention", "Zhang et al. 2025, Table 2",
     "model\tset\tprompt\ttranslated\trotated\treflected\tpreferred", comfort_convention_2},
    {"comfort", "perspective", "Zhang et al. 2025, Table 8",
     "model\tset\tprompt\tegocentric\tintrinsic\taddressee\tpreferred", comfort_perspective_3},
    {"comfort", "reading", "Zhang et al. 2025, Table 10",
     "model\tlanguage\tset\tprompt\tintrinsic\tego_tran\tego_rot\tego_refl\tadd_tran\tadd_rot\tadd_refl",
     comfort_reading_4},
    {"vsr", "by_category", "Liu et al. 2023, Table 4 (random split)", "model\tall", vsr_by_category_5},
    {"sphere", "by_task", "Zhang et al. 2025 (SPHERE), Table 3",
     "model\tall\tposition\tcount|counting\tdistance\tsize\tposition_count|position+counting\tdistance_count|"
     "distance+counting\tdistance_size\tocclusion|object_occlusion\tmanipulation|object_manipulation",
     sphere_by_task_6},
    {"sphere", "by_task", "Zhang et al. 2025 (SPHERE), Table 4", "model\tposition_allo\tposition_ego",
     sphere_by_task_7},
    {"vpt", "directional_bias", "Goral et al. 2025, appendix Table 3",
     "model\tvalue\tsingle\tcompound\tdiscarded", vpt_directional_bias_8},
    {NULL, NULL, NULL, NULL, NULL}};

/* ---- beside our tables ---- */

/* The next of a list with tabs between; NULL after the last. */
static const char *next_part(char part[80], const char *list)
{
    size_t length = strcspn(list, "\t");
    snprintf(part, 80, "%.*s", (int)length, list);
    return list[length] == '\t' ? list + length + 1 : NULL;
}

/* Letters and digits alone decide: "Position + Counting" is "position_counting". */
static bool is_same_name(const char *a, size_t a_len, const char *b)
{
    const char *end = a + a_len;
    for (;; a++, b++) {
        while (a < end && !isalnum((unsigned char)*a))
            a++;
        while (*b && !isalnum((unsigned char)*b))
            b++;
        if (a == end || *b == '\0')
            return a == end && *b == '\0';
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    }
}

/* `names`: what a column may be called, "|" between. */
static bool is_same_column(const char *names, const char *column)
{
    for (;;) {
        size_t length = strcspn(names, "|");
        if (is_same_name(names, length, column))
            return true;
        if (names[length] == '\0')
            return false;
        names += length + 1;
    }
}

bool pov_report_published_cell(char text[80], const pov_published *published, const char *row,
                               const char *column)
{
    char name[80];
    const char *names = published->columns, *values = row;
    while (names && values) {
        names = next_part(name, names);
        values = next_part(text, values);
        if (is_same_column(name, column))
            return true;
    }
    text[0] = '\0';
    return false;
}

/* Whether any of our rows has a published row's value in a column that says what was asked. */
static bool fits_column(const pov_published *published, const char *row, const pov_sheet_table *table,
                        const char *column)
{
    char text[80];
    int c = pov_sheet_column_of(table, column);
    if (c < 0 || !pov_report_published_cell(text, published, row, column) || strcmp(text, "any") == 0)
        return true;
    for (int i = 0; i < table->len; i++)
        if (strcmp(table->rows[i][c].text, text) == 0)
            return true;
    return false;
}

bool pov_report_published_fits(const pov_published *published, const char *row, const pov_sheet_table *table)
{
    return fits_column(published, row, table, "set") && fits_column(published, row, table, "prompt") &&
           fits_column(published, row, table, "language") && fits_column(published, row, table, "value");
}

static int count_shared_columns(const pov_published *published, const pov_sheet_table *table)
{
    char text[80];
    int shared = 0;
    for (int c = 0; c < table->columns_len; c++)
        shared += table->columns[c].kind != POV_SHEET_TEXT &&
                  pov_report_published_cell(text, published, published->rows[0], table->columns[c].key);
    return shared;
}

bool pov_report_published_is_for(const pov_published *published, const pov_answers *answers,
                                 const pov_sheet_table *table)
{
    if (strcmp(published->paper, pov_answers_paper_name(answers)) != 0 ||
        strcmp(published->table, table->key) != 0 || count_shared_columns(published, table) == 0)
        return false;
    for (int i = 0; published->rows[i]; i++)
        if (pov_report_published_fits(published, published->rows[i], table))
            return true;
    return false;
}
