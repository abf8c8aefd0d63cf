// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { PaymentSplitFactory } from "../src/PaymentSplitFactory.sol";
import { Split, ZeroRecipient } from "../src/Split.sol";
import { SplitTest } from "./support/SplitTest.sol";
import { TestUSDT } from "./tokens/TestUSDT.sol";

contract CreateAndDistributeTest is SplitTest {
    TestUSDT private usdt = new TestUSDT(18);
    address private predicted;

    function setUp() public override {
        super.setUp();
        predicted = factory.predictDeterministicAddress(splitOfTwo(), address(0), SALT);
    }

    function test_pays_whatArrivedBeforeTheSplitExisted() public {
        usdc.mint(predicted, 100e6);
        factory.createAndDistribute(splitOfTwo(), SALT, tokens(address(usdc)), keeper);

        assertEq(usdc.balanceOf(keeper), 100_000);
        assertEq(usdc.balanceOf(merchant), 99_000_001);
        assertEq(usdc.balanceOf(treasury), 899_999);
        assertEq(usdc.balanceOf(predicted), 0);
    }

    function testFuzz_returns_thePredictedAddress(uint256 seed, bytes32 salt) public {
        Split memory split = anySplit(seed);
        address expected = factory.predictDeterministicAddress(split, address(0), salt);
        assertEq(factory.createAndDistribute(split, salt, new address[](0), keeper), expected);
        assertEq(PaymentSplit(expected).splitHash(), keccak256(abi.encode(split)));
    }

    function test_distributes_severalTokens() public {
        usdc.mint(predicted, 100e6);
        usdt.mint(predicted, 100e18);
        factory.createAndDistribute(splitOfTwo(), SALT, tokens(address(usdc), address(usdt)), address(0));

        assertEq(usdc.balanceOf(merchant), 99_099_100);
        assertEq(usdt.balanceOf(merchant), 99.0991e18);
    }

    function test_distributes_whenSomeoneDeployedFirst() public {
        usdc.mint(predicted, 100e6);
        createSplit(splitOfTwo());
        factory.createAndDistribute(splitOfTwo(), SALT, tokens(address(usdc)), keeper);
        assertEq(usdc.balanceOf(predicted), 0);
    }

    function test_names_itsCallerAsCreator() public {
        usdc.mint(predicted, 100e6);
        vm.expectEmit(address(factory));
        emit PaymentSplitFactory.SplitCreated(predicted, splitOfTwo(), address(0), merchant, SALT);
        vm.prank(merchant);
        factory.createAndDistribute(splitOfTwo(), SALT, tokens(address(usdc)), keeper);
    }

    function test_reverts_whenOneTokenHasNothing() public {
        usdc.mint(predicted, 100e6);
        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.NothingToDistribute.selector, 0, 0));
        factory.createAndDistribute(splitOfTwo(), SALT, tokens(address(usdc), address(usdt)), keeper);
        assertEq(predicted.code.length, 0);
        assertEq(usdc.balanceOf(predicted), 100e6);
    }

    function test_reverts_withInvalidTerms() public {
        Split memory split = splitOfTwo();
        split.recipients[1] = address(0);
        vm.expectRevert(abi.encodeWithSelector(ZeroRecipient.selector, 1));
        factory.createAndDistribute(split, SALT, tokens(address(usdc)), keeper);
    }

    function tokens(address one) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = one;
    }

    function tokens(address one, address two) private pure returns (address[] memory list) {
        list = new address[](2);
        (list[0], list[1]) = (one, two);
    }
}
