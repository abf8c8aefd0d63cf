import { LRUCache } from 'lru-cache'
import { type EscrowDeps, type EscrowReading, readEscrow } from '../../charges/escrow/prepare-escrow.ts'

/** Reads an escrow; the result might be up to 5 s old. */
export type ReadEscrow = (chargeId: string) => Promise<EscrowReading>

const FRESH_MS = 5000
const MAX_READINGS = 1000

/**
 * Creates the function that reads an escrow for visitors without a key. Each reading sends several requests to the
 * chain's nodes, and visitors must not be able to use up our quota there. So all visitors of a charge share a reading,
 * even a failed one, for 5 s.
 */
export function createReadEscrow(deps: EscrowDeps): ReadEscrow {
  const readings = new LRUCache<string, Promise<EscrowReading>>({ max: MAX_READINGS, ttl: FRESH_MS })
  return (chargeId) => {
    const known = readings.get(chargeId)
    if (known !== undefined) return known
    const reading = readEscrow(deps, chargeId)
    // Prevents an unhandled rejection; each caller handles the failure.
    reading.catch(() => undefined)
    readings.set(chargeId, reading)
    return reading
  }
}
