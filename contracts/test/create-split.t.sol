// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { PaymentSplitFactory } from "../src/PaymentSplitFactory.sol";
import { AllocationSumMismatch, Split } from "../src/Split.sol";
import { SplitTest } from "./support/SplitTest.sol";

contract CreateSplitTest is SplitTest {
    function test_selector_isThatOf0xSplits() public pure {
        assertEq(PaymentSplitFactory.createSplitDeterministic.selector, bytes4(0xf79918b0));
    }

    function test_eventTopic_isThatOf0xSplits() public pure {
        assertEq(
            PaymentSplitFactory.SplitCreated.selector,
            keccak256("SplitCreated(address,(address[],uint256[],uint256,uint16),address,address,bytes32)")
        );
    }

    function testFuzz_deploys_aSplitOfTheseTerms(uint256 seed, bytes32 salt, address creator) public {
        Split memory split = anySplit(seed);
        address predicted = factory.predictDeterministicAddress(split, address(0), salt);

        vm.expectEmit(address(factory));
        emit PaymentSplitFactory.SplitCreated(predicted, split, address(0), creator, salt);
        address created = factory.createSplitDeterministic(split, address(0), creator, salt);

        assertEq(created, predicted);
        assertEq(PaymentSplit(created).splitHash(), keccak256(abi.encode(split)));
    }

    /// @dev The code consists of six bytes that accept native coin, an ERC-1167 proxy with its jump target
    /// shifted by six, and the hash.
    function test_deploys_theMinimalProxy() public {
        Split memory split = splitOfTwo();
        bytes memory code = bytes.concat(
            hex"36600557005b",
            hex"363d3d373d3d3d363d73",
            bytes20(factory.implementation()),
            hex"5af43d82803e903d91603157fd5bf3",
            keccak256(abi.encode(split))
        );
        assertEq(code.length, 83);
        assertEq(address(createSplit(split)).code, code);
    }

    function testFuzz_doesNothing_theSecondTime(uint256 seed, bytes32 salt, address front) public {
        Split memory split = anySplit(seed);
        vm.prank(front);
        address first = factory.createSplitDeterministic(split, address(0), front, salt);
        bytes memory code = first.code;

        vm.recordLogs();
        address second = factory.createSplitDeterministic(split, address(0), address(this), salt);
        assertEq(second, first);
        assertEq(second.code, code);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_touches_noMoneyAlreadyThere() public {
        Split memory split = splitOfTwo();
        address predicted = factory.predictDeterministicAddress(split, address(0), SALT);
        usdc.mint(predicted, 100e6);
        assertEq(createSplit(split).distributable(address(usdc)), 100e6);
    }

    function testFuzz_reverts_whenAnOwnerIsGiven(address owner) public {
        vm.assume(owner != address(0));
        vm.expectRevert(abi.encodeWithSelector(PaymentSplitFactory.OwnerUnsupported.selector, owner));
        factory.createSplitDeterministic(splitOfTwo(), owner, address(this), SALT);
    }

    /// @dev The proxy passes on the implementation's return data and revert data unchanged.
    function testFuzz_passes_callsOn(address token, address recipient) public {
        PaymentSplit split = createSplit(splitOfTwo());
        assertEq(split.held(token, recipient), 0);
        vm.expectRevert(PaymentSplit.NothingHeld.selector);
        split.release(token, recipient);
        assertEq(split.splitHash(), keccak256(abi.encode(splitOfTwo())));
    }

    /// @dev Shows that a deployment validates the terms. predict.t.sol tests each rule.
    function test_reverts_withInvalidTerms() public {
        Split memory split = splitOfTwo();
        split.allocations[0] += 1;
        vm.expectRevert(abi.encodeWithSelector(AllocationSumMismatch.selector, 1_000_001, 1_000_000));
        factory.createSplitDeterministic(split, address(0), address(this), SALT);
    }
}
