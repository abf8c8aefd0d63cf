import { paymentSplitAbi } from './payment-split.ts'
import { paymentSplitFactoryAbi } from './payment-split-factory.ts'

/** The distribution call, and its errors. The factory passes on the errors of the split. */
export const CREATE_AND_DISTRIBUTE = {
  abi: [...paymentSplitFactoryAbi, ...paymentSplitAbi.filter(({ type }) => type === 'error')],
  functionName: 'createAndDistribute',
}
