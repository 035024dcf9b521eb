/* Sums of card keys of many hands, with the instruction set chosen at run time.
 *
 * A card's 64-bit key holds the key of its rank in the low half and counts its suit in the high bits, four for each.
 * Rank keys are chosen greedily so that no two sets of up to seven ranks (at most four of each) have the same sum. */
#ifndef CFR_HAND_KEYS_H
#define CFR_HAND_KEYS_H

#include <stdint.h>
#include <string.h>

/* Every counter starts at 3, so that five cards of its suit set its top bit. */
#define KEY_START 0x3333000000000000ULL
#define KEY_FLUSH 0x8888000000000000ULL
#define KEY_NO_CARD (1ULL << 40) /* part of the key of a code that is no card */
#define KEY_NO_CARDS (255ULL << 40)

static const uint32_t rank_keys[13] = {0,    1,     5,     22,    98,     453,    2031,
                                       8698, 22854, 83661, 262349, 636345, 1479181};
static uint64_t card_keys[256];

static void fill_card_keys(void)
{
    for (int code = 0; code < 256; code++)
        card_keys[code] = code < 52 ? rank_keys[code >> 2] + (1ULL << (48 + 4 * (code & 3))) : KEY_NO_CARD;
}

/* Sum the keys of the hands from `first` on; the result is not 0 if a code is no card. */
static uint64_t sum_keys_base(const uint8_t *cards, int count, int first, int hands, uint64_t *keys, uint64_t *flushes)
{
    uint64_t all = 0;
    for (int h = first; h < hands; h++) {
        uint64_t key = KEY_START;
        for (int i = 0; i < count; i++)
            key += card_keys[cards[h * count + i]];
        keys[h] = key;
        all |= key;
        flushes[h >> 6] |= (uint64_t)((key & KEY_FLUSH) != 0) << (h & 63);
    }
    return all & KEY_NO_CARDS;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define CFR_HAND_KEYS_AVX2 1

__attribute__((target("avx2"))) static __m256i in_both_halves(const uint8_t *bytes)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* Four hands at a time, each in eight bytes: a shuffle looks up one byte of all keys, and the sum of absolute
 * differences from zero adds up the eight bytes of a hand. */
__attribute__((target("avx2"))) static uint64_t sum_keys_avx2(const uint8_t *cards, int count, int hands,
                                                              uint64_t *keys, uint64_t *flushes)
{
    uint8_t rank_bytes[3][16] = {{0}}, spread_bytes[16];
    static const uint8_t clubs_diamonds[16] = {1, 16}, hearts_spades[16] = {0, 0, 1, 16};
    for (int rank = 0; rank < 13; rank++)
        for (int byte = 0; byte < 3; byte++)
            rank_bytes[byte][rank] = (uint8_t)(rank_keys[rank] >> (8 * byte));
    for (int i = 0; i < 16; i++) /* 128 gives a 0, the deuce of clubs: its rank key is 0, `start` takes its suit back */
        spread_bytes[i] = (i & 7) < count ? (uint8_t)((i >> 3) * count + (i & 7)) : 128;
    const __m256i low = in_both_halves(rank_bytes[0]), middle = in_both_halves(rank_bytes[1]);
    const __m256i high = in_both_halves(rank_bytes[2]), spread = in_both_halves(spread_bytes);
    const __m256i cd = in_both_halves(clubs_diamonds), hs = in_both_halves(hearts_spades);
    const __m256i zero = _mm256_setzero_si256(), rank_mask = _mm256_set1_epi8(15), suit_mask = _mm256_set1_epi8(3);
    const __m256i start = _mm256_set1_epi64x((long long)(KEY_START - ((uint64_t)(8 - count) << 48)));
    const __m256i flush = _mm256_set1_epi64x((long long)KEY_FLUSH);
    __m256i largest = zero;
    int h = 0;
#define BYTE_SUM(table, index) _mm256_sad_epu8(_mm256_shuffle_epi8(table, index), zero)
    /* Two hands lie in 16 loaded bytes; stop where the second load would pass the end. */
    for (; (h + 2) * count + 16 <= hands * count; h += 4) {
        const uint8_t *from = cards + h * count;
        __m256i codes = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)from)),
            _mm_loadu_si128((const __m128i *)(from + 2 * count)), 1);
        codes = _mm256_shuffle_epi8(codes, spread);
        __m256i ranks = _mm256_and_si256(_mm256_srli_epi16(codes, 2), rank_mask);
        __m256i suits = _mm256_and_si256(codes, suit_mask);
        __m256i key = _mm256_add_epi64(start, BYTE_SUM(low, ranks));
        key = _mm256_add_epi64(key, _mm256_slli_epi64(BYTE_SUM(middle, ranks), 8));
        key = _mm256_add_epi64(key, _mm256_slli_epi64(BYTE_SUM(high, ranks), 16));
        key = _mm256_add_epi64(key, _mm256_slli_epi64(BYTE_SUM(cd, suits), 48));
        key = _mm256_add_epi64(key, _mm256_slli_epi64(BYTE_SUM(hs, suits), 56));
        _mm256_storeu_si256((__m256i *)(keys + h), key);
        __m256i none = _mm256_cmpeq_epi64(_mm256_and_si256(key, flush), zero);
        flushes[h >> 6] |= (uint64_t)(15 ^ _mm256_movemask_pd(_mm256_castsi256_pd(none))) << (h & 63);
        largest = _mm256_max_epu8(largest, codes);
    }
#undef BYTE_SUM
    __m256i beyond = _mm256_subs_epu8(largest, _mm256_set1_epi8(51));
    return (uint64_t)!_mm256_testz_si256(beyond, beyond) | sum_keys_base(cards, count, h, hands, keys, flushes);
}
#endif

/* Keys of (hands, count) card codes, five to seven in a hand, and one bit for each hand that holds five of a suit,
 * in (hands + 63) / 64 words. Returns 0 unless a code is no card. */
static int sum_keys(const uint8_t *cards, int count, int hands, uint64_t *keys, uint64_t *flushes)
{
    memset(flushes, 0, (size_t)(hands + 63) / 64 * sizeof(uint64_t));
#ifdef CFR_HAND_KEYS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return sum_keys_avx2(cards, count, hands, keys, flushes) != 0;
#endif
    return sum_keys_base(cards, count, 0, hands, keys, flushes) != 0;
}

#endif
