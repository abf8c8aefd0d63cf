import { hash } from 'node:crypto'
import { createRandom, type Random } from '../../support/seeded-random.ts'

/**
 * Creates a random number generator from a seed, for one purpose. Each purpose has its own generator, so that a draw
 * for one purpose does not change the numbers of the others.
 *
 * @param name - the purpose, such as `latency of daemon-1`
 */
export function createRandomStream(seed: number, name: string): Random {
  return createRandom(hash32(`${seed}/${name}`))
}

/** Returns a number from 0 to below 1, always the same for the same seed and name. */
export function drawFraction(seed: number, name: string): number {
  return hash32(`${seed}/${name}`) / 2 ** 32
}

function hash32(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 8), 16)
}
