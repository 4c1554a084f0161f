/* Random games of Go in plain C, to measure others against: go_playout SIZE GAMES SEED.

   Uniform over the legal moves that fill no eye of one's own; whoever has none passes.  Chains are
   rings with counts of pseudo-liberties (a liberty counts once for each stone beside it), the
   smaller chain joins the larger, and empty points are kept in a list.  Points that may not be
   played are drawn without replacement, so that the choice is uniform.  Simple ko, no suicide, two
   passes or three moves for each point end the game, area is counted.

   Prints: seconds of the processor, then sums over the games: moves, their squares, black's area
   minus white's, its squares, wins of black with a komi of 7.5. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EMPTY, BLACK, WHITE, OUTSIDE };
enum { LARGEST = 19, ROOM = (LARGEST + 2) * (LARGEST + 2) };

static int size, stride, points;
static int board[LARGEST * LARGEST]; /* all points */
static uint8_t first_colour[ROOM];

static uint8_t colour[ROOM];
static int16_t chain[ROOM];     /* the name of a stone's chain: one of its stones; else 0 */
static int16_t following[ROOM]; /* the next stone of the chain, a ring */
static int16_t stones[ROOM];    /* of a chain */
static int16_t liberties[ROOM]; /* of a chain, pseudo-liberties */
static int16_t empty[ROOM];     /* the list of empty points */
static int empties;

static uint64_t seed;

static inline uint32_t draw(uint32_t count) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * count) >> 32);
}

static inline int is_eye(int p, int own) {
    int other = BLACK + WHITE - own;
    const int near[4] = {p - 1, p + 1, p - stride, p + stride};
    const int corner[4] = {p - stride - 1, p - stride + 1, p + stride - 1, p + stride + 1};
    int foes = 0, outside = 0;
    for (int d = 0; d < 4; d++)
        if (colour[near[d]] != own && colour[near[d]] != OUTSIDE) return 0;
    for (int d = 0; d < 4; d++) {
        foes += colour[corner[d]] == other;
        outside |= colour[corner[d]] == OUTSIDE;
    }
    return foes + outside < 2;
}

/* Tell whether a stone would have a liberty, be joined to a chain that has another one, or take. */
static inline int is_legal(int p, int own) {
    const int near[4] = {p - 1, p + 1, p - stride, p + stride};
    int legal = 0;
    for (int d = 0; d < 4; d++)
        if (colour[near[d]] == EMPTY) return 1;
    for (int d = 0; d < 4; d++)
        if (colour[near[d]] != OUTSIDE) liberties[chain[near[d]]]--;
    for (int d = 0; d < 4; d++)
        if (colour[near[d]] != OUTSIDE)
            legal |= (colour[near[d]] == own) == (liberties[chain[near[d]]] != 0);
    for (int d = 0; d < 4; d++)
        if (colour[near[d]] != OUTSIDE) liberties[chain[near[d]]]++;
    return legal;
}

static void join(int root, int other) {
    int stone = other;
    do {
        chain[stone] = (int16_t)root;
        stone = following[stone];
    } while (stone != other);
    liberties[root] += liberties[other];
    stones[root] += stones[other];
    int16_t next = following[root];
    following[root] = following[other];
    following[other] = next;
}

static void take(int name) {
    int stone = name;
    do {
        colour[stone] = EMPTY;
        chain[stone] = 0;
        empty[empties++] = (int16_t)stone;
        const int near[4] = {stone - 1, stone + 1, stone - stride, stone + stride};
        for (int d = 0; d < 4; d++) liberties[chain[near[d]]]++;
        stone = following[stone];
    } while (stone != name);
}

/* Put a stone; return the point of a ko, or 0. */
static inline int put(int p, int own) {
    int other = BLACK + WHITE - own;
    const int near[4] = {p - 1, p + 1, p - stride, p + stride};
    int alone = 1, before = empties, spaces = 0;
    colour[p] = (uint8_t)own;
    for (int d = 0; d < 4; d++) {
        spaces += colour[near[d]] == EMPTY;
        alone &= colour[near[d]] != EMPTY && colour[near[d]] != own;
        liberties[chain[near[d]]]--; /* of no chain, 0, nobody reads it */
    }
    chain[p] = following[p] = (int16_t)p;
    stones[p] = 1;
    liberties[p] = (int16_t)spaces;
    for (int d = 0; d < 4; d++) {
        int q = near[d];
        if (colour[q] == own) {
            int here = chain[p], there = chain[q];
            if (here == there) continue;
            if (stones[here] >= stones[there])
                join(here, there);
            else
                join(there, here);
        } else if (colour[q] == other && liberties[chain[q]] == 0)
            take(chain[q]);
    }
    return alone && empties == before + 1 ? empty[before] : 0;
}

/* Count what only one colour reaches; after most games empty points are alone, and one pass does. */
static int area(void) {
    static uint8_t reached[ROOM];
    int score = 0, open = 0;
    for (int i = 0; i < points; i++) {
        int p = board[i], c = colour[p];
        if (c == EMPTY) {
            const int near[4] = {p - 1, p + 1, p - stride, p + stride};
            for (int d = 0; d < 4; d++) {
                open |= colour[near[d]] == EMPTY;
                if (colour[near[d]] != OUTSIDE) c |= colour[near[d]];
            }
        }
        score += (c == BLACK) - (c == WHITE);
    }
    if (!open) return score;
    memcpy(reached, colour, sizeof reached);
    for (int grows = 1; grows;) {
        grows = 0;
        for (int i = 0; i < points; i++) {
            int p = board[i], c = reached[p];
            if (colour[p] != EMPTY) continue;
            const int near[4] = {p - 1, p + 1, p - stride, p + stride};
            for (int d = 0; d < 4; d++)
                if (colour[near[d]] != OUTSIDE) c |= reached[near[d]];
            grows |= c != reached[p];
            reached[p] = (uint8_t)c;
        }
    }
    score = 0;
    for (int i = 0; i < points; i++)
        score += (reached[board[i]] == BLACK) - (reached[board[i]] == WHITE);
    return score;
}

static int game(int *score) {
    memcpy(colour, first_colour, sizeof colour);
    for (int i = 0; i < points; i++) {
        empty[i] = (int16_t)board[i];
        chain[board[i]] = 0;
    }
    empties = points;
    int own = BLACK, passes = 0, plies = 0, ko = 0;
    while (passes < 2 && plies < 3 * points) {
        int left = empties, p = 0;
        while (left > 0) {
            int at = (int)draw((uint32_t)left);
            p = empty[at];
            if (p != ko && !is_eye(p, own) && is_legal(p, own)) {
                empty[at] = empty[--empties];
                break;
            }
            empty[at] = empty[--left];
            empty[left] = (int16_t)p;
        }
        if (left > 0) {
            ko = put(p, own);
            passes = 0;
        } else {
            ko = 0;
            passes++;
        }
        plies++;
        own = BLACK + WHITE - own;
    }
    *score = area();
    return plies;
}

int main(int count, char **given) {
    if (count != 4) {
        fprintf(stderr, "expected: go_playout SIZE GAMES SEED\n");
        return 2;
    }
    size = atoi(given[1]);
    long games = atol(given[2]);
    if (size < 2 || size > LARGEST || games < 1) {
        fprintf(stderr, "expected a size of 2 to %d and one game or more\n", LARGEST);
        return 2;
    }
    seed = (uint64_t)atol(given[3]) * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du;
    stride = size + 1;
    memset(first_colour, OUTSIDE, sizeof first_colour);
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            board[points++] = (y + 1) * stride + x + 1;
            first_colour[(y + 1) * stride + x + 1] = EMPTY;
        }
    double plies = 0, plies_squared = 0, scores = 0, scores_squared = 0;
    long wins = 0;
    clock_t began = clock();
    for (long i = 0; i < games; i++) {
        int score, length = game(&score);
        plies += length;
        plies_squared += (double)length * length;
        scores += score;
        scores_squared += (double)score * score;
        wins += score > 7;
    }
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    printf("%.6f %.0f %.0f %.0f %.0f %ld\n", seconds, plies, plies_squared, scores, scores_squared,
           wins);
    return 0;
}
