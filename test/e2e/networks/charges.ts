import type { Address } from 'viem'
import { requireData } from '../../../api/client/client.ts'
import type { Schema } from '../../../api/client/schema.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import type { EscrowChargeJson } from '../../support/escrow-scenario.ts'
import type { NetworkFixture } from './network-fixture.ts'

/** A charge of a network, in whose environment it was made. */
export type NetworkCharge = Schema<'Charge'> & { readonly address: Address } & Pick<
    EscrowChargeJson,
    'escrow'
  >

/** Makes a charge of ten dollars that accepts one way unless the terms say otherwise. */
export async function openCharge(
  { api, ways: [way] }: NetworkFixture,
  terms: Partial<Schema<'CreateCharge'>> = {},
): Promise<NetworkCharge> {
  const body = { amount: 10, acceptedPayments: [way.pair], expiresIn: 3600, ...terms }
  return (await requireData(api.POST('/v1/charges', { body }))) as NetworkCharge
}

/** Reads a charge of the stage. */
export async function readCharge({ api }: NetworkFixture, id: string): Promise<NetworkCharge> {
  return (await requireData(api.GET('/v1/charges/{id}', { params: { path: { id } } }))) as NetworkCharge
}

/** Waits until a charge is as the condition says, for as long as so many depths of the chain take at most. */
export function until(
  stage: NetworkFixture,
  id: string,
  condition: {
    readonly what: string
    readonly depths: number
    readonly holds: (charge: NetworkCharge) => boolean
  },
): Promise<NetworkCharge> {
  const { what, depths, holds } = condition
  return waitFor(
    async () => {
      const charge = await readCharge(stage, id)
      return holds(charge) && charge
    },
    {
      what: `charge ${id} on ${stage.row.name} to be ${what}`,
      timeoutMs: stage.boundMs(depths),
      intervalMs: 200,
    },
  )
}

/** Credited in full: one depth after it was paid. */
export const CONFIRMED = {
  what: 'confirmed',
  depths: 1,
  holds: ({ status }: NetworkCharge) => status === 'confirmed',
}

/** Paid out, which is another depth. */
export const SETTLED = {
  what: 'settled',
  depths: 3,
  holds: ({ settlementStatus }: NetworkCharge) => settlementStatus === 'completed',
}

/** Seen on the chain, at whatever depth. */
export const SEEN = { what: 'seen', depths: 1, holds: ({ txHash }: NetworkCharge) => txHash !== null }
