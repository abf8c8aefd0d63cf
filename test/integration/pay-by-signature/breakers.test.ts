import { expect } from 'chai'
import type { Hex } from 'viem'
import {
  createPayBySignatureFixture,
  nonce,
  type OpenCharge,
  OTHER_PAYER,
  PAYER,
  type PayBySignatureFixture,
} from '../../support/pay-by-signature-fixture.ts'
import type { Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

/** Code of a contract that approves every signature (EIP-1271), and a signature that no key made. */
const SAYS_YES: Hex = '0x631626ba7e60e01b60005260206000f3'
const OF_NO_KEY: Hex = `0x${'11'.repeat(65)}`

describe('the circuit breaker of payments by signature', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
  })
  afterEach(() => signing.close())

  it('allows keys after payments by five contracts reverted, because any account can deploy contracts', async () => {
    await insertReverted(5, { isSignedByKey: false })
    await signing.ask(charge)
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('blocks contracts after payments by five contracts reverted, and reveals nothing about the payer', async () => {
    await insertReverted(5, { isSignedByKey: false })
    const request = await askByContract()
    await signing.cast().turn()
    expect(await signing.answerOf(request)).to.deep.include({
      code: 'signature_payment_unavailable',
      message: `${charge.chargeId} cannot be paid by this signature now`,
    })
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('allows contracts after payments by four contracts reverted', async () => {
    await insertReverted(4, { isSignedByKey: false })
    await askByContract()
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('blocks keys after payments by five keys reverted', async () => {
    await insertReverted(5, { isSignedByKey: true })
    const ofKey = await signing.ask(charge, { payer: OTHER_PAYER })
    await signing.cast().turn()
    expect(await signing.answerOf(ofKey)).to.deep.include({ code: 'signature_payment_unavailable' })
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('records for each authorization whether a key signed it', async () => {
    await askByContract()
    await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
    await signing.cast().turn()
    const rows = await stage.sql<{ payer: string; isSignedByKey: boolean }[]>`
      select payer, is_signed_by_key from authorizations`
    const ofContract = PAYER.address.toLowerCase()
    expect(new Map(rows.map(({ payer, isSignedByKey }) => [payer, isSignedByKey]))).to.deep.equal(
      new Map([
        [ofContract, false],
        [OTHER_PAYER.address.toLowerCase(), true],
      ]),
    )
  })

  async function askByContract(): Promise<string> {
    await stage.node.setCode({ address: PAYER.address, bytecode: SAYS_YES })
    return signing.ask(charge, { signature: () => OF_NO_KEY })
  }

  /** Inserts one reverted payment per payer, each for a different charge. */
  async function insertReverted(count: number, of: { readonly isSignedByKey: boolean }): Promise<void> {
    for (let number = 1; number <= count; number += 1) {
      const { chargeId } = await stage.openCharge()
      const payer = `0x${String(number).padStart(40, '0')}`
      await stage.sql`
        with relayer as (
          insert into relayers as r (chain_id, address, next_nonce) values (31337, '0x1', 1)
          on conflict (chain_id, address) do update set next_nonce = r.next_nonce + 1 returning address, next_nonce)
        insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
          value_atomic, valid_before, from_block, relayer, relayer_nonce, status, ended_at, is_signed_by_key)
        select ${nonce()}, 'org_1', ${chargeId}, 31337, ${stage.token}, ${payer}, ${nonce()},
          ${nonce()}, 1, 1, 1, address, next_nonce, 'reverted', now(), ${of.isSignedByKey} from relayer`
    }
  }
})
