# Linear discriminant analysis in R: a learner that is a command.
#
#   command = ["Rscript", "--vanilla", "lda.R", "{train}", "{test}", "{output}", "{seed}"]
#
# The last column of the train file is the class. Constant inputs within a class stop MASS::lda; what it says on
# standard error is shown by bakeoff as the reason of the failure.
arguments <- commandArgs(trailingOnly = TRUE)
set.seed(as.integer(as.numeric(arguments[4]) %% .Machine$integer.max))

# check.names = FALSE keeps the names as they are; text columns, and the class even if it is a number, are factors.
train <- read.csv(arguments[1], check.names = FALSE, stringsAsFactors = TRUE, na.strings = "")
test <- read.csv(arguments[2], check.names = FALSE, stringsAsFactors = TRUE, na.strings = "")
last <- ncol(train)
class <- factor(train[[last]])
inputs <- data.matrix(train[-last])

model <- MASS::lda(inputs, grouping = class)
answer <- predict(model, data.matrix(test))

# One column for each class, named as the class, with its probability.
written <- data.frame(prediction = answer$class, answer$posterior, check.names = FALSE)
write.csv(written, arguments[3], row.names = FALSE)
