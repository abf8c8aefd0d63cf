import { expect } from 'chai'
import {
  formatEther,
  getContractAddress,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedLegacy,
} from 'viem'
import { DEPLOYMENT_PROXY, PROXY_CREATION } from '../../../shared/chain/contracts/deployment-proxy.ts'

describe('the transaction that creates the deployment proxy', () => {
  const { sender, coins, transaction } = PROXY_CREATION

  it('has no chain id, is signed by the sender that must be funded, and creates the proxy', async () => {
    const from = await recoverTransactionAddress({
      serializedTransaction: transaction as TransactionSerializedLegacy,
    })
    expect(from).to.equal(sender)
    const { nonce = 0, chainId } = parseTransaction(transaction)
    expect(chainId).to.equal(undefined)
    expect(getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase()).to.equal(DEPLOYMENT_PROXY)
  })

  it('requires exactly the balance that the error for a missing proxy names', () => {
    const { gas = 0n, gasPrice = 0n } = parseTransaction(transaction)
    expect(formatEther(gas * gasPrice)).to.equal(coins)
  })
})
