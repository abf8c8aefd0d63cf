import { expect } from 'chai'
import { type Address, parseAbiItem, parseUnits } from 'viem'
import type { Address as Lowercase } from '../../../shared/domain/address.ts'
import { distribute, type Split } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { TRANSFER_EVENT } from '../../support/transfer-event.ts'
import type { NetworkCharge } from './charges.ts'
import type { NetworkFixture } from './network-fixture.ts'
import { getArrivingAmount } from './way.ts'

const DISTRIBUTED = parseAbiItem(
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
)

/**
 * Asserts from the chain's logs that our relayer has distributed these dollars from a charge's split once, in the token
 * of the stage's first way to pay. Each payee, except those whose shares are held, must have received their share minus
 * the token's fee.
 */
export async function expectPaidOut(
  { client, ways: [way], devnet }: NetworkFixture,
  charge: NetworkCharge,
  expected: { readonly dollars: string; readonly heldFor: readonly Address[] },
): Promise<void> {
  const amount = parseUnits(expected.dollars, way.tokenDecimals)
  const split = splitOf(charge)
  const address = charge.addressTerms.splitAddress as Address
  const range = { fromBlock: 0n, strict: true } as const
  const distributions = await client.getLogs({ address, event: DISTRIBUTED, ...range })
  expect(distributions.map(({ args }) => args.amount)).to.deep.equal([amount])
  expect(distributions[0]?.args.distributor).to.equal(devnet.description.accounts.relayer.address)
  const sent = await client.getLogs({
    address: way.token,
    event: TRANSFER_EVENT,
    args: { from: address },
    ...range,
  })
  const { payouts } = distribute({ amount: atomic(amount), split })
  for (const [index, due] of payouts.entries()) {
    const recipient = split.recipients[index] ?? expect.fail('a payout without a recipient')
    const received = sent
      .filter(({ args }) => args.to.toLowerCase() === recipient)
      .map(({ args }) => args.value)
    const isHeld = expected.heldFor.some((one) => one.toLowerCase() === recipient)
    expect(received, `the amounts that ${recipient} received`).to.deep.equal(
      isHeld ? [] : [getArrivingAmount(way, due)],
    )
  }
}

function splitOf({ addressTerms }: NetworkCharge): Split {
  return {
    recipients: addressTerms.recipients.map(({ address }) => address.toLowerCase() as Lowercase),
    allocations: addressTerms.recipients.map(({ allocation }) => allocation),
    totalAllocation: addressTerms.totalAllocation,
    distributionIncentive: addressTerms.distributionIncentive,
  }
}
