// Many motions of the rolling disk by DOP853, written by hand as a baseline: bench/README.md has the equations, the
// initial values, the arguments and the output.
//
// Every lane of a vector carries a motion of its own, with its own time and step; when a lane reaches the end it takes
// the next motion at once. GROUPS vectors go through the stages side by side, to hide the latency of the chains.

#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dop853.h"
#include "lanes.h"

#ifndef GROUPS
#define GROUPS 2
#endif

enum { THETA, PHI, PSI, X, Y, THETA_1, PHI_1, PSI_1, STATES };

typedef struct {
    long motions;
    double end, tolerance;
    double (*states)[STATES];
    atomic_long next, steps;
} Ensemble;

// The motions not yet begun of a block, with first steps.
typedef struct {
    long first;
    int used, count;
    double y[STATES][LANES] __attribute__((aligned(64)));
    double h[LANES] __attribute__((aligned(64)));
} Queue;

typedef struct {
    double y[STATES][LANES] __attribute__((aligned(64)));
    double t[LANES] __attribute__((aligned(64)));
    double h[LANES] __attribute__((aligned(64)));
    double grow[LANES] __attribute__((aligned(64))); // the most that the next step may grow by
    long motion[LANES];                              // -1: idle
} Group;

INLINE V load(const double *from) { return *(const V *)from; }
INLINE void store(double *to, V x) { *(V *)to = x; }

static void start(long i, double y[STATES]) {
    // fractional parts of the roots of 2, 3, 5 and 7, in units of 2^-32
    static const uint32_t root[4] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A};
    double u[4];
    for (int k = 0; k < 4; k++) u[k] = (double)((uint32_t)(i + 1) * root[k]) / 4294967296.0 - 0.5;
    memset(y, 0, STATES * sizeof *y);
    y[THETA] = (5.0 + 2.0 * u[0]) / 5.0;
    y[THETA_1] = (1.0 + u[1]) / 5.0;
    y[PHI_1] = 1.5 + u[2];
    y[PSI_1] = 2.5 + u[3];
}

// The rates; psi, x and y occur in none of them, phi in those of x and y only.
INLINE void field(const V y[STATES], V f[STATES]) {
    V s, k;
    sincos_v(y[THETA], &s, &k);
    V a = y[THETA_1], b = y[PHI_1], c = y[PSI_1];
    V phi_2 = (2.0 * a) * c / s;
    f[THETA] = a;
    f[PHI] = b;
    f[PSI] = c;
    f[THETA_1] = -7.848 * k - (b * s) * (1.2 * c + b * k);
    f[PHI_1] = phi_2;
    f[PSI_1] = (5.0 / 3.0 * a) * (b * s) - phi_2 * k;
}

INLINE void contact(const V y[STATES], V f[STATES]) {
    V s, k;
    sincos_v(y[PHI], &s, &k);
    f[X] = -y[PSI_1] * k;
    f[Y] = -y[PSI_1] * s;
}

// Hairer's first step, for the motions of a block together.
static void first_steps(Queue *q, double tolerance, double end) {
    V y[STATES], f0[STATES], f1[STATES], scale[STATES], yy = {0}, ff = {0}, dd = {0};
    for (int i = 0; i < STATES; i++) y[i] = load(q->y[i]);
    field(y, f0);
    contact(y, f0);
    for (int i = 0; i < STATES; i++) {
        scale[i] = 1.0 / (tolerance + tolerance * size(y[i]));
        yy += (y[i] * scale[i]) * (y[i] * scale[i]);
        ff += (f0[i] * scale[i]) * (f0[i] * scale[i]);
    }
    V h;
    for (int l = 0; l < LANES; l++)
        h[l] = ff[l] <= 1e-10 || yy[l] <= 1e-10 ? 1e-6 : fmin(0.01 * sqrt(yy[l] / ff[l]), end);
    for (int i = 0; i < STATES; i++) y[i] += h * f0[i];
    field(y, f1);
    contact(y, f1);
    for (int i = 0; i < STATES; i++) {
        V d = (f1[i] - f0[i]) * scale[i];
        dd += d * d;
    }
    for (int l = 0; l < LANES; l++) {
        double curved = fmax(sqrt(dd[l]) / h[l], sqrt(ff[l]));
        double h1 = curved <= 1e-15 ? fmax(1e-6, h[l] * 1e-3) : sqrt(sqrt(sqrt(0.01 / curved)));
        q->h[l] = fmin(fmin(100.0 * h[l], h1), end);
    }
}

static int refill(Queue *q, Ensemble *e) {
    long first = atomic_fetch_add_explicit(&e->next, LANES, memory_order_relaxed);
    if (first >= e->motions) return 0;
    q->first = first;
    q->used = 0;
    q->count = e->motions - first < LANES ? (int)(e->motions - first) : LANES;
    for (int l = 0; l < LANES; l++) {
        double y[STATES];
        start(first + l, y);
        for (int i = 0; i < STATES; i++) q->y[i][l] = y[i];
    }
    first_steps(q, e->tolerance, e->end);
    return 1;
}

// The next motion into a lane; without one, the lane idles at the end with steps of length 0.
static int take(Group *g, int lane, Queue *q, Ensemble *e) {
    if (q->used == q->count && !refill(q, e)) {
        g->motion[lane] = -1;
        g->t[lane] = e->end;
        g->h[lane] = 0.0;
        return 0;
    }
    for (int i = 0; i < STATES; i++) g->y[i][lane] = q->y[i][q->used];
    g->t[lane] = 0.0;
    g->h[lane] = q->h[q->used];
    g->grow[lane] = 6.0;
    g->motion[lane] = q->first + q->used++;
    return 1;
}

// A row of the method without its zeros.
typedef struct {
    int count, stage[STAGES];
    double weight[STAGES];
} Row;

static Row rows[STAGES];

static void make_rows(void) {
    for (int j = 0; j < STAGES; j++)
        for (int i = 0; i < j; i++)
            if (A[j][i] != 0.0) {
                rows[j].stage[rows[j].count] = i;
                rows[j].weight[rows[j].count++] = A[j][i];
            }
}

typedef struct {
    V y[STATES], h, k[STAGES][STATES];
    I last;
} Step;

// The slopes of stage j. One piece of code for all stages: unrolled, a step has 17 kB of instructions per vector and
// takes 15 % longer on an Ice Lake Xeon.
INLINE void stage(int j, Step steps[GROUPS]) {
    V sum[GROUPS][STATES];
#pragma GCC unroll 4
    for (int g = 0; g < GROUPS; g++) 
        sum[g][THETA] = sum[g][PHI] = sum[g][THETA_1] = sum[g][PHI_1] = sum[g][PSI_1] = (V){0};
    const Row *row = &rows[j];
#pragma GCC unroll 1
    for (int m = 0; m < row->count; m++) {
        V weight = all(row->weight[m]);
#pragma GCC unroll 4
        for (int g = 0; g < GROUPS; g++) {
            const V *k = steps[g].k[row->stage[m]];
            sum[g][THETA] += weight * k[THETA];
            sum[g][PHI] += weight * k[PHI];
            sum[g][THETA_1] += weight * k[THETA_1];
            sum[g][PHI_1] += weight * k[PHI_1];
            sum[g][PSI_1] += weight * k[PSI_1];
        }
    }
#pragma GCC unroll 4
    for (int g = 0; g < GROUPS; g++) {
        const V *y = steps[g].y, h = steps[g].h;
        V at[STATES];
        at[THETA] = y[THETA] + h * sum[g][THETA];
        at[PHI] = y[PHI] + h * sum[g][PHI];
        at[THETA_1] = y[THETA_1] + h * sum[g][THETA_1];
        at[PHI_1] = y[PHI_1] + h * sum[g][PHI_1];
        at[PSI_1] = y[PSI_1] + h * sum[g][PSI_1];
        field(at, steps[g].k[j]);
        // no weight of the result is on stages 1 to 4: there the rates of x and y are used by nobody
        if (j == 0 || j > 4) contact(at, steps[g].k[j]);
    }
}

// Ends a step: error, next step length, and the new state in the lanes where the step is good. Returns the lanes that
// have arrived.
INLINE unsigned conclude(Group *g, Step *s, double tolerance, double end) {
    V next[STATES], e5 = {0}, e3 = {0}, h = s->h;
#pragma GCC unroll 1
    for (int i = 0; i < STATES; i++) {
        V b = B[0] * s->k[0][i], d5 = E5[0] * s->k[0][i];
#pragma GCC unroll 8
        for (int j = 5; j < STAGES; j++) {
            b += B[j] * s->k[j][i];
            d5 += E5[j] * s->k[j][i];
        }
        V d3 = b - B3[0] * s->k[0][i] - B3[8] * s->k[8][i] - B3[11] * s->k[11][i];
        next[i] = s->y[i] + h * b;
        V scale = rough_inverse(1.0 + larger(size(s->y[i]), size(next[i])));
        e5 += (d5 * scale) * (d5 * scale);
        e3 += (d3 * scale) * (d3 * scale);
    }
    // err^2 = h^2 e5^2 / (n (e5 + e3/100)), e5 and e3 in units of the tolerance squared
    V under = larger(e5 + 0.01 * e3, all(1e-200));
    V err2 = (h * h) * (e5 * e5) * rough_inverse(under) * (1.0 / (STATES * tolerance * tolerance));
    I good = err2 <= 1.0;
    // in this order, what is not a number makes the step shorter
    V factor = 0.9 * rough_inverse_root_16(larger(all(1e-30), err2));
    factor = larger(smaller(load(g->grow), factor), all(0.333));
    for (int i = 0; i < STATES; i++) store(g->y[i], pick(good, next[i], s->y[i]));
    V t = load(g->t);
    store(g->t, pick(good, pick(s->last, all(end), t + h), t));
    store(g->h, h * factor);
    // after a rejected step, the next must not grow
    store(g->grow, pick(good, all(6.0), all(1.0)));
    return bits(good & s->last);
}

static void advance(Group groups[GROUPS], unsigned arrived[GROUPS], double tolerance, double end) {
    Step steps[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        Step *s = &steps[g];
        for (int i = 0; i < STATES; i++) s->y[i] = load(groups[g].y[i]);
        V left = end - load(groups[g].t), h = load(groups[g].h);
        s->last = 1.01 * h >= left;
        s->h = pick(s->last, left, h);
    }
#pragma GCC unroll 1
    for (int j = 0; j < STAGES; j++) stage(j, steps);
#pragma GCC unroll 1
    for (int g = 0; g < GROUPS; g++) arrived[g] = conclude(&groups[g], &steps[g], tolerance, end);
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *work(void *argument) {
    Ensemble *e = argument;
    Queue queue = {0};
    Group groups[GROUPS] = {0};
    int busy = 0;
    long steps = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int l = 0; l < LANES; l++) {
            for (int i = 0; i < STATES; i++) groups[g].y[i][l] = i == THETA;
            busy += take(&groups[g], l, &queue, e);
        }
    while (busy) {
        unsigned arrived[GROUPS];
        advance(groups, arrived, e->tolerance, e->end);
        steps++;
        for (int g = 0; g < GROUPS; g++)
            for (; arrived[g]; arrived[g] &= arrived[g] - 1) {
                int l = __builtin_ctz(arrived[g]);
                if (groups[g].motion[l] < 0) continue;
                for (int i = 0; i < STATES; i++) e->states[groups[g].motion[l]][i] = groups[g].y[i][l];
                busy -= !take(&groups[g], l, &queue, e);
            }
    }
    atomic_fetch_add(&e->steps, steps);
    return NULL;
}

static void run(Ensemble *e, int threads) {
    pthread_t other[64];
    atomic_store(&e->next, 0);
    atomic_store(&e->steps, 0);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&other[i], NULL, work, e)) abort();
    work(e);
    for (int i = 1; i < threads; i++) pthread_join(other[i], NULL);
}

#if LANES > 1
// The greatest errors of sincos_v in ulp, against the long doubles of the library.
static void check(void) {
    double worst_s = 0.0, worst_c = 0.0;
    for (long n = 0; n < 20000000; n += LANES) {
        V x, s, c;
        for (int l = 0; l < LANES; l++) x[l] = ((double)(n + l) * 1e-7 - 1.0) * (n & 8 ? 4.0 : 1000.0);
        sincos_v(x, &s, &c);
        for (int l = 0; l < LANES; l++) {
            long double es = sinl(x[l]), ec = cosl(x[l]);
            worst_s = fmax(worst_s, (double)fabsl((s[l] - es) / es) * 0x1p53);
            worst_c = fmax(worst_c, (double)fabsl((c[l] - ec) / ec) * 0x1p53);
        }
    }
    printf("sine off by at most %.2f, cosine by %.2f of 2^-53, relative\n", worst_s, worst_c);
}
#endif

int main(int count, char **words) {
#if LANES > 1
    if (count == 2 && !strcmp(words[1], "check")) return check(), 0;
#endif
    if (count != 7) {
        fprintf(stderr, "usage: %s MOTIONS END TOLERANCE THREADS REPETITIONS FILE, or %s check\n", words[0], words[0]);
        return 2;
    }
    Ensemble e = {.motions = atol(words[1]), .end = atof(words[2]), .tolerance = atof(words[3])};
    make_rows();
    int threads = atoi(words[4]), repetitions = atoi(words[5]);
    if (e.motions < 1 || !(e.tolerance > 0.0) || threads < 1 || threads > 64 || repetitions < 1) return 2;
    e.states = calloc((size_t)e.motions, sizeof *e.states);
    if (!e.states) abort();
    double cpu = INFINITY, wall = INFINITY;
    for (int i = 0; i < repetitions; i++) {
        double cpu_0 = seconds(CLOCK_PROCESS_CPUTIME_ID), wall_0 = seconds(CLOCK_MONOTONIC);
        run(&e, threads);
        cpu = fmin(cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_0);
        wall = fmin(wall, seconds(CLOCK_MONOTONIC) - wall_0);
    }
    FILE *file = fopen(words[6], "wb");
    if (!file || fwrite(e.states, sizeof *e.states, (size_t)e.motions, file) != (size_t)e.motions || fclose(file)) {
        perror(words[6]);
        return 1;
    }
    double micro = 1e6 / (double)e.motions;
    double steps = (double)e.steps * GROUPS * LANES / (double)e.motions;
    printf("{\"name\": \"C by hand, DOP853, %d x %d lanes\", \"tolerance\": %g, \"threads\": %d, "
           "\"us_per_motion\": %.4f, \"wall_us_per_motion\": %.4f, \"steps\": %.2f, \"states_file\": \"%s\"}\n",
           GROUPS, LANES, e.tolerance, threads, cpu * micro, wall * micro, steps, words[6]);
    free(e.states);
    return 0;
}
