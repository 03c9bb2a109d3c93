// Vectors of doubles, one motion per lane: eight with AVX-512, four with AVX2, else one, in plain C.
//
// Sums and products are written with the vector types of GCC, which contracts them to fused multiply-adds.

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define LANES 8
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define LANES 4
#else
#include <math.h>
#define LANES 1
#endif

typedef double V __attribute__((vector_size(8 * LANES)));
typedef int64_t I __attribute__((vector_size(8 * LANES)));

INLINE V all(double x) { return x - (V){0}; }

// Where the mask of a comparison is set, a, else b.
INLINE V pick(I mask, V a, V b) { return (V)((mask & (I)a) | (~mask & (I)b)); }
INLINE V larger(V a, V b) { return pick(a > b, a, b); }
INLINE V smaller(V a, V b) { return pick(a < b, a, b); }
INLINE V size(V a) { return (V)((I)a & INT64_MAX); }

#if LANES == 8

INLINE unsigned bits(I mask) { return _mm512_movepi64_mask((__m512i)mask); }
// 1/x to 14 bits: for error estimates.
INLINE V rough_inverse(V x) { return (V)_mm512_rcp14_pd((__m512d)x); }
// x^(-1/16) to 12 bits: for the next step.
INLINE V rough_inverse_root_16(V x) {
    for (int i = 0; i < 4; i++) x = (V)_mm512_rsqrt14_pd((__m512d)x);
    return rough_inverse(x);
}

#else

INLINE unsigned bits(I mask) {
    unsigned found = 0;
    for (int i = 0; i < LANES; i++) found |= (mask[i] & 1u) << i;
    return found;
}
INLINE V rough_inverse(V x) { return 1.0 / x; }
INLINE V rough_inverse_root_16(V x) {
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < LANES; i++) x[i] = __builtin_sqrt(x[i]);
    return 1.0 / x;
}

#endif

#if LANES == 1

INLINE void sincos_v(V x, V *s, V *c) {
    *s = (V){sin(x[0])};
    *c = (V){cos(x[0])};
}

#else

// a b + c with one rounding, where that is needed and not only faster.
INLINE V fused(V a, V b, V c) {
#if LANES == 8
    return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
    return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}

// Sine and cosine for |x| < 1e5, within 2 ulp but where x is closer than 1e-12 to a zero of theirs (there to 1e-27).
//
// x = n pi/2 + r with pi/2 in two parts (Cody and Waite): fused, the first difference is exact. On |r| <= pi/4, sine
// and cosine are r + r z P(z) and 1 - z/2 + z z Q(z), z = r r, where P and Q interpolate at the Chebyshev points of
// [0, (pi/4)^2], are off by less than 2e-17 and are summed in pairs (Estrin), for short chains.
INLINE void sincos_v(V x, V *s, V *c) {
    const double half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17, per_half_pi = 0.6366197723675814;
    const double round = 6755399441055744.0; // 1.5 2^52: what is added to it keeps its integer part in the last bits
    V shifted = x * per_half_pi + round;
    V n = shifted - round;
    V r = fused(-n, all(half_pi), x);
    r -= n * half_pi_low;
    V z = r * r, zz = z * z;
    V p = (-0.16666666666666666 + z * 0.008333333333330943) +
          zz * ((-0.0001984126983674956 + z * 2.755731609787775e-06) +
                zz * (-2.5051130870968297e-08 + z * 1.591805913698281e-10));
    V q = (0.041666666666666664 + z * -0.0013888888888887393) +
          zz * ((2.4801587298760048e-05 + z * -2.755731726880539e-07) +
                zz * (2.0876145659059344e-09 + z * -1.1382588535352522e-11));
    V sine = r + (r * z) * p;
    V cosine = (1.0 - 0.5 * z) + zz * q;
    // the quarter turns: exchanged when odd; signs by the second bit of n and n + 1
    I turns = (I)shifted;
#if LANES == 8
    __mmask8 odd = _mm512_test_epi64_mask((__m512i)turns, _mm512_set1_epi64(1));
    V s_0 = (V)_mm512_mask_blend_pd(odd, (__m512d)sine, (__m512d)cosine);
    V c_0 = (V)_mm512_mask_blend_pd(odd, (__m512d)cosine, (__m512d)sine);
#else
    I odd = -(turns & 1);
    V s_0 = pick(odd, cosine, sine), c_0 = pick(odd, sine, cosine);
#endif
    *s = (V)((I)s_0 ^ ((turns << 62) & INT64_MIN));
    *c = (V)((I)c_0 ^ (((turns + 1) << 62) & INT64_MIN));
}

#endif
