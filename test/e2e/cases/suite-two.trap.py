import unittest
class RingTest(unittest.TestCase):
    def test_windows(self):
        print("pack expected 2 items for packing (got 3)")
        raise AssertionError
unittest.main()
