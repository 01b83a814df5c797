#!/usr/bin/perl
# Nearest mean in Perl: a learner that is a command.
#
#   perl nearest_mean.pl TRAIN TEST OUTPUT
#
# TRAIN is a CSV file with a header and the class in its last column, TEST one without the class. A row goes to the
# class whose mean is nearest; an input without a value counts for nothing. OUTPUT gets one row for each row of TEST:
# the prediction, and a probability for each class, which falls with the squared distance.
#
# Numbers only, and no commas inside cells: a program for everyday use would read CSV with a library.
use strict;
use warnings;

my ($train, $test, $output) = @ARGV;
defined $output or die "usage: perl nearest_mean.pl TRAIN TEST OUTPUT\n";

my (%sum, %count, %rows);
for my $cells (@{ read_csv($train) }) {
    my $class = pop @$cells;
    $rows{$class}++;
    for my $i (0 .. $#$cells) {
        next if $cells->[$i] eq '';
        $sum{$class}[$i] += $cells->[$i];
        $count{$class}[$i]++;
    }
}
my @classes = sort keys %rows;
@classes or die "there is nothing to learn from\n";

open my $out, '>', $output or die "cannot write $output: $!\n";
print {$out} join(',', 'prediction', @classes), "\n";
for my $cells (@{ read_csv($test) }) {
    my %distance = map { $_ => distance($_, $cells) } @classes;
    my ($nearest) = sort { $distance{$a} <=> $distance{$b} or $a cmp $b } @classes;
    my %weight = map { $_ => exp(-($distance{$_} - $distance{$nearest}) / 2) } @classes;
    my $total = 0;
    $total += $_ for values %weight;
    print {$out} join(',', $nearest, map { sprintf '%.10f', $weight{$_} / $total } @classes), "\n";
}
close $out or die "cannot write $output: $!\n";

# The squared distance of a row from the mean of a class, over the inputs that both have.
sub distance {
    my ($class, $cells) = @_;
    my $squared = 0;
    for my $i (0 .. $#$cells) {
        next if $cells->[$i] eq '' or !$count{$class}[$i];
        $squared += ($cells->[$i] - $sum{$class}[$i] / $count{$class}[$i])**2;
    }
    return $squared;
}

# The rows of a CSV file, without the header.
sub read_csv {
    my ($path) = @_;
    open my $in, '<', $path or die "cannot read $path: $!\n";
    my @rows = map { chomp; [split /,/, $_, -1] } <$in>;
    shift @rows;
    return \@rows;
}
