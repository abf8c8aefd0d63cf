import { expect } from 'chai'
import { type Address, getAddress, keccak256, slice } from 'viem'
import { requireData } from '../../../../api/client/client.ts'
import { createApiCaller } from '../../../devnet/call-api.ts'
import { waitFor } from '../../../devnet/wait-for.ts'
import { query } from '../../../support/scenario.ts'
import { type NetworkCharge, SETTLED, until } from '../charges.ts'
import { createIssuer } from '../issuer.ts'
import type { NetworkCase } from '../network-case.ts'
import type { NetworkFixture } from '../network-fixture.ts'
import { expectPaidOut } from '../paid-out.ts'

/** Uses USDC, the only token that rejects transfers to a blocked recipient. On bnb, `createIssuer` upgrades USDC. */
export const held: NetworkCase = {
  name: 'held',
  claim: 'holds the share of a recipient that the issuer blocks, and pays it once the recipient is unblocked',
  isShort: false,
  isSlow: true,
  run: async (whole, others) => {
    const stage = inUsdc(whole)
    const partner = getAddress(slice(keccak256(`0x${Buffer.from(stage.row.name).toString('hex')}`), 12))
    const charge = await openSharedCharge(stage, partner)
    const issuer = await createIssuer(stage)
    await issuer.setRestricted(partner, true)
    await stage.nextPayer().pay(stage.ways[0], charge.address, '10')
    await until(stage, charge.id, SETTLED)
    await expectPaidOut(stage, charge, { dollars: '10', heldFor: [partner] })
    await untilHeld(stage, charge, 'a failed release attempt')
    await issuer.setRestricted(partner, false)
    await others
    await letAnHourPass(stage, charge)
    await untilHeld(stage, charge, 'released')
    await expectPaidOut(stage, charge, { dollars: '10', heldFor: [] })
  },
}

function inUsdc(stage: NetworkFixture): NetworkFixture {
  const usdc = stage.ways.filter(({ pair }) => pair.token === 'USDC')
  const [way, ...others] = usdc
  return way === undefined ? expect.fail('no USDC') : { ...stage, ways: [way, ...others] }
}

async function openSharedCharge(
  { devnet, ways: [way] }: NetworkFixture,
  partner: Address,
): Promise<NetworkCharge> {
  const register = createApiCaller(devnet.description, 'liveRecipients').POST('/v1/recipients', {
    body: { address: partner },
  })
  const { id: recipientId } = await requireData(register)
  const body = {
    ...{ amount: 10, acceptedPayments: [way.pair], expiresIn: 3600 },
    splitRecipients: [{ recipientId, percent: 30 }],
  }
  const made = await requireData(
    createApiCaller(devnet.description, 'liveSplit').POST('/v1/charges', { body }),
  )
  return made as NetworkCharge
}

const CONDITIONS = {
  'a failed release attempt': 'held_atomic > 0 and last_error is not null',
  released: 'held_atomic = 0',
} as const

async function untilHeld(
  stage: NetworkFixture,
  { id }: NetworkCharge,
  condition: keyof typeof CONDITIONS,
): Promise<void> {
  await query(stage.devnet, (sql) =>
    waitFor(
      async () => {
        const rows =
          await sql`select from held_shares where charge_id = ${id} and ${sql.unsafe(CONDITIONS[condition])}`
        return rows.length === 1
      },
      { what: `the held share of ${id} to be ${condition}`, timeoutMs: stage.boundMs(2), intervalMs: 200 },
    ),
  )
}

/**
 * Makes the next attempt to release the held share due now, instead of an hour after the failed attempt. The restart
 * of the daemon drops the cached response of the issuer, which would expire within that hour.
 */
async function letAnHourPass({ devnet }: NetworkFixture, { id }: NetworkCharge): Promise<void> {
  await devnet.indexer.stop()
  await query(devnet, (sql) => sql`update held_shares set next_attempt_at = now() where charge_id = ${id}`)
  await devnet.indexer.start()
}
