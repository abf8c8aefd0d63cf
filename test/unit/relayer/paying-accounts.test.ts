import { expect } from 'chai'
import { listPayingAccounts } from '../../../indexer/relayer/record-paying-accounts.ts'
import { readIndexerConfig } from '../../../shared/runtime/indexer-config.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'

const REQUIRED = {
  INDEXER_DATABASE_URL: 'postgres://payments_daemon:x@127.0.0.1/payments',
  PONDER_DATABASE_URL: 'postgres://payments_ponder:x@127.0.0.1/payments',
  TREASURY_ADDRESS: ACCOUNTS.treasury.address,
  DEPLOYMENTS: 'base:live,bnb:live',
}

describe('the accounts that a daemon records', () => {
  it('are one account for payouts on each chain, and one for signatures where payers can sign', () => {
    const config = readIndexerConfig({
      ...REQUIRED,
      RELAYER_PRIVATE_KEY: ACCOUNTS.relayer.privateKey,
      PAY_BY_SIGNATURE_NETWORKS: 'base',
      PAY_BY_SIGNATURE_PRIVATE_KEY: ACCOUNTS.deployer.privateKey,
    })
    const [payouts, signatures] = [ACCOUNTS.relayer, ACCOUNTS.deployer].map(({ address }) =>
      address.toLowerCase(),
    )
    expect(listPayingAccounts(config)).to.have.deep.members([
      { chainId: 8453, purpose: 'payouts', address: payouts },
      { chainId: 8453, purpose: 'signatures', address: signatures },
      { chainId: 56, purpose: 'payouts', address: payouts },
    ])
  })

  it('are an empty list without a key', () => {
    expect(listPayingAccounts(readIndexerConfig(REQUIRED))).to.deep.equal([])
  })
})
