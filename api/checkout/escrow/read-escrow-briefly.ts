import { LRUCache } from 'lru-cache'
import { type EscrowDeps, type EscrowReading, readEscrow } from '../../charges/escrow/prepare-escrow.ts'

/** Reads an escrow; the result might be a few seconds old. */
export type ReadEscrow = (chargeId: string) => Promise<EscrowReading>

/** Maximum age of a reading that is used again. */
const FRESH_MS = 5000
const MAX_READINGS = 1000

/**
 * Creates the function that reads an escrow for visitors without a key. Each reading sends several requests to the
 * chain's nodes, and visitors must not be able to use up our quota there. Therefore all visitors of a charge share a
 * reading, even a failed one, for 5 s.
 */
export function createReadEscrow(deps: EscrowDeps): ReadEscrow {
  const readings = new LRUCache<string, Promise<EscrowReading>>({ max: MAX_READINGS, ttl: FRESH_MS })
  return (chargeId) => {
    const known = readings.get(chargeId)
    if (known !== undefined) return known
    const reading = readEscrow(deps, chargeId)
    // Each caller handles the failure.
    reading.catch(() => undefined)
    readings.set(chargeId, reading)
    return reading
  }
}
