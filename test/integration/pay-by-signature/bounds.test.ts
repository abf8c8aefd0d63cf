import { expect } from 'chai'
import type { Hex } from 'viem'
import { findSignatureFacts } from '../../../shared/db/pay-by-signature/authorization-facts.ts'
import {
  lockOpenAuthorizationRequests,
  relockAuthorizationRequest,
} from '../../../shared/db/pay-by-signature/authorization-requests.ts'
import { lockInFlightAuthorizations } from '../../../shared/db/pay-by-signature/daemon/authorizations.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import {
  createPayBySignatureFixture,
  type OpenCharge,
  OTHER_PAYER,
  PAYER,
  type PayBySignatureFixture,
} from '../../support/pay-by-signature-fixture.ts'
import type { Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { STALE_AFTER } from '../../support/rows.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'

const NOT_SENT = () => Promise.resolve()
const CHAIN_ID = 31337
/** Code of a contract that approves every signature (EIP-1271), and a signature that no key made. */
const SAYS_YES: Hex = '0x631626ba7e60e01b60005260206000f3'
const OF_NO_KEY: Hex = `0x${'11'.repeat(65)}`

/** Payments by signature consume node requests and gas that other work also needs. */
describe('payments by signature', function () {
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

  it('count with their gas limits against the organization’s daily gas limit', async () => {
    await signing.ask(charge)
    await signing.cast().turn()
    const [signed] = await stage.sql`select gas_limit from authorizations`
    expect(Number(signed?.['gasLimit'])).to.equal(200_000)
    await stage.sql`update authorizations set gas_limit = 350000`
    const facts = await findSignatureFacts(signing.api, {
      chargeId: charge.chargeId,
      staleAfter: STALE_AFTER,
    })
    expect(facts?.pairs.map(({ usedGas }) => usedGas)).to.deep.equal([350_000])
  })

  it('are checked first if our transaction has changed, no matter how long other payments have waited', async () => {
    await signing.ask(charge)
    await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
    await signing.cast({ broadcast: NOT_SENT }).turn()
    const look = (limit: number) =>
      lockInFlightAuthorizations(stage.daemonSql, { chainId: CHAIN_ID, limit, lookSeconds: 60 })
    const [waiting, moved] = await look(2)
    await stage.sql`update authorizations set last_checked_at = now() - interval '1 hour' where id = ${waiting?.id ?? 0}`
    await stage.sql`
      update relayer_transactions set status = 'mined', block_number = 1
      where tx_hash = ${moved?.transaction?.txHash ?? ''}`
    expect((await look(1)).map(({ id }) => id)).to.deep.equal([moved?.id])
    expect((await look(1)).map(({ id }) => id)).to.deep.equal([waiting?.id])
  })

  it('are retried with growing delays', async () => {
    const id = await signing.ask(charge)
    await show()
    /**
     * Returns the number of due requests and whether this request is due, if its last attempt was `ago` seconds ago and
     * its first attempt was `seconds` before that. Runs in one transaction, in which the database's time is constant.
     */
    const triedFor = (seconds: number, ago: number): Promise<readonly [number, boolean]> =>
      inTransaction(stage.sql, async (db) => {
        await db`update requests set consumed_at = now() - make_interval(secs => ${ago})`
        await db`update authorizations set created_at = now() - make_interval(secs => ${seconds + ago})`
        const query = { chainId: CHAIN_ID, limit: 20, retrySeconds: 3 }
        const listed = await lockOpenAuthorizationRequests(db, query)
        return [listed.length, await relockAuthorizationRequest(db, { id, retrySeconds: 3 })] as const
      })
    expect(await triedFor(0, 2)).to.deep.equal([0, false])
    expect(await triedFor(0, 4)).to.deep.equal([1, true])
    expect(await triedFor(100, 20), 'it has been tried for a long time').to.deep.equal([0, false])
    expect(await triedFor(100, 30)).to.deep.equal([1, true])
  })

  it('from contracts are rejected while 20 signatures wait for a transaction, and do not delay payments signed by keys', async () => {
    await stage.copyCharge(charge, 20)
    await stage.sql`
      insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
        value_atomic, valid_before, from_block)
      select id, organization_id, id, ${CHAIN_ID}, ${stage.token}, '0x' || lpad(right(id, 4), 40, '0'),
        '0x' || repeat('0', 64), '0x' || repeat('0', 64), 1, 99999999999, 1
      from charges where id <> ${charge.chargeId}`
    await stage.node.setCode({ address: PAYER.address, bytecode: SAYS_YES })
    const ofContract = await signing.ask(charge, { signature: () => OF_NO_KEY })
    const { turn } = signing.cast()
    await turn()
    expect(await signing.answerOf(ofContract)).to.deep.include({ code: 'signature_payment_unavailable' })
    await signing.ask(charge, { payer: OTHER_PAYER })
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  /** Runs a turn that ends once a node has the signature, as if the process were killed. */
  async function show(): Promise<void> {
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) => (method === 'eth_estimateGas' ? 'lose-answer' : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    await proxy.stop()
  }
})
